-- What does the house keep of each kind of bet, and what does the rulebook leave it?
-- Rounds that the log breaks off, and those that nobody can replay, are left out.
SELECT r.rulebook, bet, count(l.stake) AS bets, coalesce(sum(l.stake), 0)::BIGINT AS stake,
       coalesce(sum(l.stake_returned + l.winnings), 0)::BIGINT AS due,
       coalesce(sum(s.stake_returned + s.winnings), 0)::BIGINT AS paid,
       round(100 * (1 - due / nullif(sum(l.stake), 0)), 2) AS due_percent,
       round(100 * (1 - paid / nullif(sum(l.stake), 0)), 2) AS kept_percent
FROM lines l
FULL JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
JOIN rounds r USING (day, table_id, round)
WHERE r.status IN ('settled', 'void')
GROUP BY ALL
ORDER BY r.rulebook, bet;
