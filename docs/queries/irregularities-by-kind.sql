-- Which irregularities were noted, how often, and how did their rounds end?
SELECT i.kind, r.rulebook, count(DISTINCT (day, table_id, seq)) AS times,
       count(DISTINCT (day, table_id, round)) FILTER (round IS NOT NULL) AS rounds,
       count(DISTINCT (day, table_id, round)) FILTER (r.status = 'void') AS void
FROM irregularities i
LEFT JOIN rounds r USING (day, table_id, round)
WHERE i.type = 'IrregularityNoted'
GROUP BY ALL
ORDER BY times DESC, i.kind, r.rulebook;
