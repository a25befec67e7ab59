-- Which shoes do not add up: a card too often, draws that never came, a wrong count at the end?
SELECT s.day, s.table_id, s.shoe, s.decks, s.rounds, s.cards_drawn, s.cards_left, s.mismatches
FROM shoes s
WHERE s.mismatches > 0
ORDER BY s.day, s.table_id, s.shoe;
