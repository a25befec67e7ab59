-- When did a progressive meter fall, and which win explains it?
WITH reading AS (
    SELECT *, lag(seen_at) OVER (PARTITION BY jackpot ORDER BY seen_at, table_id, seq) AS before
    FROM meter_history),
paid AS (  -- progressive bets that won, when they were paid, and the meter of their table
    SELECT DISTINCT m.jackpot, l.day, l.table_id, l.round, l.winnings, e.seen_at
    FROM lines l
    JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
    JOIN events e ON e.day = s.day AND e.table_id = s.table_id AND e.seq = s.seq
    JOIN meter_history m ON m.day = l.day AND m.table_id = l.table_id AND m.round = l.round
    WHERE l.bet = 'progressive' AND l.winnings > 0)
SELECT r.day, r.jackpot, r.seen_at, r.table_id, r.round, r.amount, r.change,
       max(p.winnings) AS won, arg_max(p.table_id, p.winnings) AS won_at,
       arg_max(p.round, p.winnings) AS won_in
FROM reading r
LEFT JOIN paid p ON p.jackpot = r.jackpot AND p.winnings >= -r.change  -- clocks differ by seconds
      AND p.seen_at BETWEEN r.before - INTERVAL 10 SECOND AND r.seen_at + INTERVAL 10 SECOND
WHERE r.change < 0
GROUP BY ALL
ORDER BY r.seen_at, r.table_id, r.round;
