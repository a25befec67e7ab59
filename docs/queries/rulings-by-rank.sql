-- Who ruled what, under which paragraph?
SELECT i.noted_by, i.ruling, r.rulebook, i.clause, count(DISTINCT (day, table_id, seq)) AS rulings
FROM irregularities i
LEFT JOIN rounds r USING (day, table_id, round)
WHERE i.type = 'RulingMade'
GROUP BY ALL
ORDER BY rulings DESC, i.noted_by, i.ruling, r.rulebook, i.clause;
