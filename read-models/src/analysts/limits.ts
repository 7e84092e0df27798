/** A missing limit allows any value. */
export interface SettingRange {
  readonly least?: number;
  readonly most?: number;
  readonly except?: number;
}

export interface AnalystLimits {
  readonly settings: Readonly<Record<string, number | string>>;
  /** Settings that a query may change; all others are fixed. */
  readonly changeableSettings: Readonly<Record<string, SettingRange>>;
  readonly quota: Readonly<Record<string, number>>;
}

const seconds = 60;
/**
 * The Go driver sets `max_execution_time` to the seconds left until its deadline plus 5, and the deadline in Grafana is 60 s by default.
 * ClickHouse refuses a query with a higher value than this.
 */
const mostSeconds = seconds + 5;
const rows = 1_000_000;
const memoryBytes = 300_000_000;
/**
 * ClickHouse checks the time limit and cancellations only between blocks. The slowest functions measured took less than 2 s for a block of
 * this size within `memoryBytes`.
 */
const blockRows = 512;
/** With two threads, partners' report queries took twice as long, while the throughput of analysts' queries did not increase. */
const threads = 1;

/** Formats of results, and what drivers of SQL tools send with each query. None of these settings shows rows of other networks. */
const forms = [
  'session_timezone',
  'result_overflow_mode',
  'join_use_nulls',
  'date_time_output_format',
  'output_format_json_quote_64bit_integers',
  'output_format_json_quote_denormals',
  'output_format_json_named_tuples_as_objects',
  'output_format_native_encode_types_in_binary_format',
  'output_format_native_use_flattened_dynamic_and_json_serialization',
  'output_format_arrow_compression_method',
  'output_format_pretty_color',
  'output_format_pretty_max_rows',
  'output_format_csv_crlf_end_of_line',
  'format_csv_delimiter',
  'extremes',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'enable_http_compression',
  'http_zlib_compression_level',
  'network_compression_method',
  'log_comment',
];

export const analystLimits: AnalystLimits = {
  settings: {
    readonly: 1,
    allow_ddl: 0,
    allow_introspection_functions: 0,
    cancel_http_readonly_queries_on_client_close: 1,
    max_execution_time: seconds,
    timeout_overflow_mode: 'throw',
    max_memory_usage: memoryBytes,
    max_memory_usage_for_user: memoryBytes,
    max_threads: threads,
    max_block_size: blockRows,
    max_concurrent_queries_for_user: 4,
    max_result_rows: rows,
    result_overflow_mode: 'throw',
    // The service's own queries have priority 1. While one of them runs, analysts' queries pause briefly at every block.
    priority: 10,
    low_priority_query_wait_time_ms: 20,
    // Off: analysts see different rows, so a condition or result cached for one analyst must not be used for another.
    use_query_condition_cache: 0,
    use_query_cache: 0,
    // Off: ClickHouse could evaluate an analyst's conditions before the condition that excludes other networks.
    optimize_move_to_prewhere: 0,
    optimize_move_to_prewhere_if_final: 0,
    // Safe, because all versions of a row are in the same partition.
    do_not_merge_across_partitions_select_final: 1,
    join_use_nulls: 0,
    // For a join of views over several shards: ClickHouse reads the joined view once and sends its rows to each shard.
    distributed_product_mode: 'global',
  },
  changeableSettings: {
    max_execution_time: { least: 1, most: mostSeconds },
    // ClickHouse sets 0 (no limit) in subqueries to other shards, where it ignores `except`. With `least: 1`, a shard would raise 0 to 1
    // and refuse the second row.
    max_result_rows: { except: 0, most: rows },
    max_threads: { least: 1, most: threads },
    max_memory_usage: { least: 1, most: memoryBytes },
    ...Object.fromEntries(forms.map((setting) => [setting, {}])),
  },
  quota: { queries: 1_000, errors: 500, execution_time: 1_200, result_rows: 20_000_000 },
};
