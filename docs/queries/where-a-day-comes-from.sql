-- Which run made each day, from which revision of the archive and with which code?
SELECT day, run, current, started_at, finished_at, revision, complete, code_version
FROM runs
ORDER BY day, started_at;
