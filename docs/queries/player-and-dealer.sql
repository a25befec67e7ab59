-- Does one dealer pay one player wrongly again and again?
SELECT dealer, player, count(*) AS findings, sum(money)::BIGINT AS money
FROM findings
WHERE severity = 'money' AND dealer IS NOT NULL AND player IS NOT NULL
GROUP BY ALL
HAVING count(*) > 1
ORDER BY findings DESC, money DESC, dealer, player;
