-- Which shoes have cards too many or too few?
SELECT s.day, s.table_id, s.shoe, s.decks, s.rounds, s.cards_drawn, s.cards_left, s.mismatches
FROM shoes s
WHERE s.mismatches > 0
ORDER BY s.day, s.table_id, s.shoe;
