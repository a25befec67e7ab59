-- Which bets and bonuses were never settled although the round was closed?
SELECT day, table_id, round, box, hand, player, bet, kind, -money AS owed, message
FROM findings
WHERE kind IN ('unsettled_bet', 'missed_bonus')
ORDER BY owed DESC, day, table_id, round, box, hand, player, bet;
