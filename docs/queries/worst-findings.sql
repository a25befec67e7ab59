-- What are the twenty findings with the most money at stake?
SELECT day, table_id, round, kind, box, player, bet, money, message
FROM findings
WHERE money <> 0
ORDER BY abs(money) DESC, day, table_id, round, box, player, bet, kind
LIMIT 20;
