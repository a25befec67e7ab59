-- Which rounds should have been void and were not, or were declared void without a ground?
SELECT v.day, v.table_id, v.round, v.verdict, v.void_clause, v.declared_void, v.declared_by,
       v.reason, f.money
FROM voids v
LEFT JOIN findings f ON f.round = v.round AND f.day = v.day
      AND f.kind IN ('missed_void', 'wrong_void')
WHERE v.verdict IN ('missed', 'without ground')
ORDER BY v.day, v.table_id, v.round;
