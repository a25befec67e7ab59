-- Which players were paid more than they were due, and at how many tables?
SELECT player, count(DISTINCT table_id) FILTER (difference > 0) AS tables,
       sum(rounds)::BIGINT AS rounds, sum(difference)::BIGINT AS too_much
FROM player_money
GROUP BY player
HAVING sum(difference) > 0
ORDER BY too_much DESC, player;
