-- What were the twenty largest winnings, due or paid, and were they paid as due?
SELECT day, table_id, round, player, bet, coalesce(l.stake, s.stake) AS stake, l.odds,
       l.winnings AS due, s.winnings AS paid, l.clauses[1] AS clause
FROM lines l
FULL JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
WHERE greatest(coalesce(l.winnings, 0), coalesce(s.winnings, 0)) > 0
ORDER BY greatest(coalesce(l.winnings, 0), coalesce(s.winnings, 0)) DESC, day, table_id, round,
         player, bet, box, hand
LIMIT 20;
