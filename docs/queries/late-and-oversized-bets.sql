-- Which bets came late or broke the limits, and how much money was moved by it?
WITH moved AS (
    SELECT day, table_id, round, box, player, bet, sum(money) AS money
    FROM findings WHERE severity IN ('money', 'judgement') AND bet IS NOT NULL GROUP BY ALL),
broken AS (
    SELECT *, row_number() OVER (PARTITION BY day, table_id, round, box, player, bet, kind
                                 ORDER BY seq) = 1 AS first_of_bet
    FROM findings
    WHERE kind IN ('late_bet', 'over_limit', 'under_limit', 'illegal_bet', 'side_bet_alone'))
SELECT b.kind, r.rulebook, b.clauses[1] AS clause, count(DISTINCT b.id) AS findings,
       count(DISTINCT r.dealer) AS dealers, coalesce(sum(m.money), 0)::BIGINT AS money
FROM broken b
LEFT JOIN rounds r USING (day, table_id, round)
LEFT JOIN moved m ON b.first_of_bet AND m.day = b.day AND m.table_id = b.table_id
      AND m.round = b.round AND m.box = b.box AND m.bet = b.bet
      AND m.player = coalesce(b.player, m.player)
GROUP BY ALL
ORDER BY findings DESC, b.kind, r.rulebook, clause;
