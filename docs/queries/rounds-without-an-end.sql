-- Which rounds does the log break off, or can nobody replay?
SELECT day, table_id, round, rulebook, status, first_seq, last_seq, events
FROM rounds
WHERE status IN ('incomplete', 'unreplayable')
ORDER BY day, table_id, first_seq;
