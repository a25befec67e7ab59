-- How much was paid too much and too little, by kind of finding, waived ones left out?
SELECT * FROM (
    SELECT severity, kind, count(*) AS findings, count(DISTINCT table_id) AS tables,
           sum(coalesce(too_much, greatest(money, 0), 0))::BIGINT AS too_much,
           sum(coalesce(too_little, greatest(-money, 0), 0))::BIGINT AS too_little
    FROM findings
    WHERE waiver IS NULL
    GROUP BY severity, kind)
ORDER BY too_much + too_little DESC, severity, kind;
