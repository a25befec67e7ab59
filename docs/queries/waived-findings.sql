-- What was accepted, by whom, why and until when?
SELECT f.day, f.table_id, f.round, f.kind, f.money, w.who, w.reason, w.expires
FROM findings f
JOIN waivers w ON w.id = f.waiver AND w.day = f.day
ORDER BY f.day, f.table_id, f.round, f.kind;
