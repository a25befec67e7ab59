-- Who ruled what, under which paragraph?
SELECT noted_by, ruling, clause, count(*) AS rulings
FROM irregularities
WHERE type = 'RulingMade'
GROUP BY ALL
ORDER BY rulings DESC, noted_by, ruling, clause;
