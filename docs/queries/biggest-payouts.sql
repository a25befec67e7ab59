-- What were the twenty largest winnings, and were they paid as due?
SELECT day, table_id, round, player, bet, l.stake, l.odds, l.winnings AS due, s.winnings AS paid,
       l.clauses[1] AS clause
FROM lines l
LEFT JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
ORDER BY l.winnings DESC, day, table_id, round, player, bet
LIMIT 20;
