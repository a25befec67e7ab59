-- Which decisions were accepted against the rules, or never made, by decision and paragraph?
SELECT f.rulebook, d.decision, f.clauses[1] AS clause, count(*) AS times,
       count(DISTINCT f.dealer) AS dealers
FROM findings f
LEFT JOIN (SELECT DISTINCT day, table_id, round, seq, decision FROM decisions) d
       USING (day, table_id, round, seq)
WHERE f.kind = 'illegal_decision'
GROUP BY ALL
ORDER BY times DESC, f.rulebook, d.decision, clause;
