/** Range of the values to which a query may change a setting. */
export interface SettingRange {
  readonly least?: number;
  readonly most?: number;
}

/** Limits of every query of an analyst, equal for all ClickHouse deployments. */
export interface AnalystLimits {
  readonly settings: Readonly<Record<string, number | string>>;
  /** Settings that a query may change; all others are fixed. */
  readonly changeableSettings: Readonly<Record<string, SettingRange>>;
  /** Quota of each analyst per hour. */
  readonly quota: Readonly<Record<string, number>>;
}

const seconds = 60;
const rows = 1_000_000;
const memoryBytes = 500_000_000;
/** Threads of an analyst's query. With two, report queries took twice as long, without more throughput for analysts. */
const threads = 1;

/** Settings of the output format, which analysts may change because they do not affect the execution. */
const forms = [
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
    max_concurrent_queries_for_user: 4,
    max_result_rows: rows,
    result_overflow_mode: 'throw',
    // The service's own queries have priority 1; while one of them runs, analysts' queries pause briefly at every block.
    priority: 10,
    low_priority_query_wait_time_ms: 20,
    // Off, because a condition cached for one reader must not apply to another reader with other rows.
    use_query_condition_cache: 0,
    use_query_cache: 0,
    // Off, because the condition on the network must be evaluated before all conditions of the query.
    optimize_move_to_prewhere: 0,
    optimize_move_to_prewhere_if_final: 0,
    // The time zone differs by row.
    allow_nonconst_timezone_arguments: 1,
    // Allowed, because all versions of a row are in one partition.
    do_not_merge_across_partitions_select_final: 1,
    join_use_nulls: 0,
  },
  changeableSettings: {
    max_execution_time: { least: 1, most: seconds },
    max_result_rows: { least: 1, most: rows },
    max_threads: { least: 1, most: threads },
    max_memory_usage: { least: 1, most: memoryBytes },
    ...Object.fromEntries(forms.map((setting) => [setting, {}])),
  },
  quota: { queries: 1_000, errors: 500, execution_time: 1_200, result_rows: 20_000_000 },
};
