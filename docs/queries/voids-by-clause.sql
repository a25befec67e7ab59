-- Which voids were there, by paragraph, and were they declared as the rulebook demands?
SELECT rulebook, coalesce(void_clause, declared_void) AS clause, verdict, count(*) AS rounds,
       any_value(gist) AS gist
FROM voids
GROUP BY ALL
ORDER BY rulebook, clause, verdict;
