-- Which dealers err most often, for every hundred rounds they deal?
SELECT dealer, sum(rounds)::BIGINT AS rounds, sum(errors)::BIGINT AS errors,
       sum(money_errors)::BIGINT AS money_errors,
       round(100 * sum(errors) / sum(rounds), 2) AS per_100_rounds, sum(money)::BIGINT AS money
FROM dealer_hours
GROUP BY dealer
ORDER BY per_100_rounds DESC, dealer;
