-- Which surrenders were accepted although the rulebook does not allow them?
SELECT f.day, f.table_id, f.round, f.box, f.hand, f.player, f.dealer, f.clauses, f.message
FROM findings f
JOIN decisions d USING (day, table_id, round, seq)
WHERE f.kind = 'illegal_decision' AND d.decision = 'surrender'
ORDER BY f.day, f.table_id, f.seq;
