-- Which rounds depend on a reading of an unclear paragraph, and how much money lies on it?
SELECT reading, rulebook, count(DISTINCT (day, table_id, round)) AS rounds, count(*) AS lines,
       sum(stake)::BIGINT AS stake, sum(stake_returned + winnings)::BIGINT AS due
FROM (SELECT *, unnest(readings) AS reading FROM lines)
GROUP BY ALL
ORDER BY due DESC, reading, rulebook;
