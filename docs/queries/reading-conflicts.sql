-- Where does the record fit another reading of the text than the one we follow?
SELECT day, table_id, round, box, hand, player, bet, money, clauses, message
FROM findings
WHERE kind = 'reading_conflict'
ORDER BY abs(money) DESC, day, table_id, round, box, hand, player, bet;
