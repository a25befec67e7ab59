-- At which hours do errors pile up?
SELECT day, hour, sum(rounds)::BIGINT AS rounds, sum(errors)::BIGINT AS errors,
       round(100 * sum(errors) / sum(rounds), 2) AS per_100_rounds
FROM dealer_hours
GROUP BY ALL
ORDER BY day, hour;
