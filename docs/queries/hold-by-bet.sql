-- What does the house keep of each kind of bet?
SELECT rulebook, bet, count(*) AS bets, sum(l.stake)::BIGINT AS stake,
       sum(l.stake_returned + l.winnings)::BIGINT AS due,
       round(100 * (1 - sum(l.stake_returned + l.winnings) / nullif(sum(l.stake), 0)), 2)
           AS kept_percent
FROM lines l
GROUP BY ALL
ORDER BY rulebook, bet;
