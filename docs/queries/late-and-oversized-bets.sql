-- Which bets came late or broke the limits, and was money moved by it?
SELECT kind, rulebook, clauses[1] AS clause, count(*) AS findings, count(DISTINCT dealer) AS dealers
FROM findings
WHERE kind IN ('late_bet', 'over_limit', 'under_limit', 'illegal_bet', 'side_bet_alone')
GROUP BY ALL
ORDER BY findings DESC, kind, rulebook, clause;
