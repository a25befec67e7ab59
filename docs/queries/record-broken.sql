-- Where can the record itself not be trusted?
SELECT day, kind, table_id, round, seq, message
FROM findings
WHERE severity = 'integrity'
ORDER BY day, table_id, seq, round, kind, message;
