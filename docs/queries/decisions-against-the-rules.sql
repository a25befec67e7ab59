-- Which decisions were accepted against the rules, by decision and paragraph?
SELECT f.rulebook, d.decision, f.clauses[1] AS clause, count(*) AS times,
       count(DISTINCT f.dealer) AS dealers
FROM findings f
JOIN decisions d USING (day, table_id, round, seq)
WHERE f.kind = 'illegal_decision'
GROUP BY ALL
ORDER BY times DESC, f.rulebook, d.decision, clause;
