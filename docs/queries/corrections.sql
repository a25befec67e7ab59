-- Which settlements were put right afterwards, and are they right now?
SELECT s.day, s.table_id, s.round, s.box, s.hand, s.player, s.bet, s.winnings AS now_paid,
       l.winnings AS due,
       s.winnings = coalesce(l.winnings, 0) AND s.stake_returned = coalesce(l.stake_returned, 0)
           AS is_right
FROM settlements s
LEFT JOIN lines l USING (day, table_id, round, box, hand, player, bet)
WHERE s.corrected
ORDER BY s.day, s.table_id, s.round, s.box, s.hand, s.player, s.bet;
