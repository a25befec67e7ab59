-- Which rows of the pay tables were paid at other odds than the rulebook's?
SELECT day, rulebook, bet, clause, odds, wins, paid_otherwise, odds_paid, due, paid
FROM odds_paid
WHERE paid_otherwise > 0
ORDER BY paid_otherwise DESC, day, rulebook, bet, clause, odds;
