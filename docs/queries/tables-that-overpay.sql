-- Which tables pay more than the rulebook gives, and by how much?
SELECT day, table_id, rulebook, rounds, overpaid, underpaid, overpaid - underpaid AS net
FROM tables_by_day
WHERE overpaid > 0
ORDER BY overpaid DESC, day, table_id;
