-- Every super bonus and its shares: what was due, and what was paid?
SELECT day, table_id, round, box, player, bet, l.winnings AS due, s.winnings AS paid,
       l.clauses[1] AS clause
FROM lines l
FULL JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
WHERE bet IN ('super_bonus', 'super_bonus_share')
ORDER BY day, table_id, round, box, player, bet;
