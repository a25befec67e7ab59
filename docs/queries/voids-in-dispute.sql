-- Which rounds should have been void and were not, or were declared void without a ground?
SELECT v.day, v.table_id, v.round, v.verdict, v.void_clause, v.declared_void, v.declared_by,
       v.reason, f.money
FROM voids v
LEFT JOIN (FROM findings WHERE kind IN ('missed_void', 'wrong_void')) f
       USING (day, table_id, round)
WHERE v.verdict IN ('missed', 'without ground')
ORDER BY v.day, v.table_id, v.round;
