-- When did a progressive meter fall, and what was won in that round?
SELECT m.day, m.jackpot, m.seen_at, m.table_id, m.round, m.amount, m.change, max(l.winnings) AS won
FROM meter_history m
LEFT JOIN lines l ON l.day = m.day AND l.bet = 'progressive' AND l.table_id = m.table_id
      AND l.round < m.round AND l.winnings >= -m.change
WHERE m.change < 0
GROUP BY ALL
ORDER BY m.seen_at, m.table_id, m.round;
