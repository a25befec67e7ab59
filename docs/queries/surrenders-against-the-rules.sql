-- Which surrenders were accepted although the rulebook does not allow them?
SELECT f.day, f.table_id, f.round, f.box, f.hand, f.player, f.dealer, f.clauses, f.message
FROM findings f
SEMI JOIN (FROM decisions WHERE decision = 'surrender') d USING (day, table_id, round, seq)
WHERE f.kind = 'illegal_decision'
ORDER BY f.day, f.table_id, f.seq;
