-- How much was paid too much and too little, by kind of finding, waived ones left out?
SELECT severity, kind, count(*) AS findings, count(DISTINCT table_id) AS tables,
       sum(greatest(coalesce(money, 0), 0))::BIGINT AS too_much,
       sum(greatest(-coalesce(money, 0), 0))::BIGINT AS too_little
FROM findings
WHERE waiver IS NULL
GROUP BY ALL
ORDER BY too_much + too_little DESC, severity, kind;
