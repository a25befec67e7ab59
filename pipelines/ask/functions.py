"""Which of DuckDB's functions a question may call.

A list of what is allowed, not of what is forbidden: a function that a newer DuckDB brings is
refused until somebody has looked at it. What is refused stands here too, by its reason, so that a
test can hold the two against everything that DuckDB has.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

TABLE_FUNCTIONS = frozenset(
    "duckdb_columns duckdb_constraints duckdb_databases duckdb_dependencies duckdb_functions "
    "duckdb_indexes duckdb_keywords duckdb_memory duckdb_optimizers duckdb_schemas "
    "duckdb_sequences duckdb_settings duckdb_tables duckdb_types duckdb_views generate_series "
    "icu_calendar_names json_each json_tree pg_timezone_names pragma_collations "
    "pragma_database_size pragma_platform pragma_storage_info pragma_table_info pragma_version "
    "range repeat repeat_row unnest".split()
)
"""Functions that stand in a FROM."""

WINDOW_FUNCTIONS = frozenset(
    "cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank "
    "rank_dense row_number".split()
)
"""Those that DuckDB does not list."""

_FILES = "it reads files by their names"
_SQL = "it runs SQL that it is given as text"
_STATE = "it changes the session, waits, or writes"
_INSIDE = "it is part of DuckDB's inside and takes memory as it is given"
_OUTSIDE = "it tells of other things than the warehouse"

REFUSED: dict[str, str] = {
    **dict.fromkeys(
        "glob read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto "
        "read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto "
        "read_ndjson_objects read_parquet read_single_csv_file read_single_json_file "
        "read_single_parquet_file read_text sniff_csv parquet_bloom_probe parquet_file_metadata "
        "parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_scan "
        "parquet_schema".split(),
        _FILES,
    ),
    **dict.fromkeys(
        "query query_table json_execute_serialized_sql json_serialize_plan json_serialize_sql "
        "json_deserialize_sql histogram_values summary duckdb_table_sample pragma_show".split(),
        _SQL,
    ),
    **dict.fromkeys(
        "checkpoint force_checkpoint create_external_resource deregister_external_resource "
        "destroy_external_resource register_external_resource register_external_resource_type "
        "disable_logging disable_profiling enable_logging enable_profiling truncate_duckdb_logs "
        "nextval currval setval setseed sleep_ms pg_sleep write_log".split(),
        _STATE,
    ),
    **dict.fromkeys(
        "arrow_scan arrow_scan_dumb pandas_scan python_arrow_scan python_map_function seq_scan "
        "pragma_metadata_info test_all_types test_vector_types combine finalize index_key "
        "to_aggregate_state variant_bytes_to_variant variant_to_parquet_variant stats vector_type "
        "remap_struct combine_aggr constant_or_null".split(),
        _INSIDE,
    ),
    **dict.fromkeys(
        "duckdb_approx_database_count duckdb_available_metrics duckdb_connection_count "
        "duckdb_coordinate_systems duckdb_dialects duckdb_eviction_queues "
        "duckdb_extension_repositories duckdb_extensions duckdb_external_file_cache "
        "duckdb_external_resource_types duckdb_external_resources duckdb_grammar_extensions "
        "duckdb_log_contexts duckdb_logs duckdb_logs_parsed duckdb_prepared_statements "
        "duckdb_profiling_settings duckdb_secret_type_parameters duckdb_secret_types "
        "duckdb_secrets duckdb_temporary_files duckdb_triggers duckdb_variables "
        "getenv parse_duckdb_log_message pragma_user_agent which_secret".split(),
        _OUTSIDE,
    ),
}
"""Looked at and refused, with the reason."""


def why_refused(name: str) -> str | None:
    """The reason for a function that was looked at, else None."""
    if name.startswith(("__internal", "collate_", "icu_collate_", "icu_sort_key", "json_copy_")):
        return _INSIDE
    return REFUSED.get(name)


@cache
def allowed() -> frozenset[str]:
    """Functions of values and groups that a question may call."""
    text = resources.files("pipelines.ask").joinpath("functions.txt").read_text("utf-8")
    return frozenset(text.split()) | WINDOW_FUNCTIONS
