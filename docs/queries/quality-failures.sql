-- Which checks on the data itself failed?
SELECT day, suite, check_name, blocking, observed, failed_rows, examples
FROM data_quality
WHERE NOT passed
ORDER BY day, blocking DESC, suite, check_name;
