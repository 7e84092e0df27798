/** What reports rely on; defaults moved between versions of the server, so nothing is left to them. */
export const readSettings = {
  // Reads only, and a query whose caller has gone is stopped. Both belong together: the server honours the second only with the first.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  // Every row of a report has the zone of its own site.
  allow_nonconst_timezone_arguments: 1,
  formatdatetime_f_prints_scale_number_of_digits: 1,
  formatdatetime_parsedatetime_m_is_month_name: 0,
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  format_csv_delimiter: ',',
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  bool_true_representation: 'true',
  bool_false_representation: 'false',
  // Rows that replace each other are always in one partition (read-models/src/tables).
  do_not_merge_across_partitions_select_final: 1,
  join_use_nulls: 0,
  // Errors within an answer are marked in one way for every format, so that they are found without parsing it.
  http_write_exception_in_output_format: 0,
  // Half the bytes of snappy for a tenth more CPU; small row groups bound the memory of both sides.
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_row_group_size: '50000',
  output_format_parquet_string_as_string: 1,
} as const;

/** Seconds a query may take; a download lasts as long as its reader reads. */
export const pageSeconds = 30;
export const streamSeconds = 3_600;

/** A slow reader holds up the server's sending, for so long at most. */
export const sendSeconds = 300;

/**
 * Formats of streams. Text of wide rows is a multiple of what they take in columns: blocks of the standard size made lumps of
 * 200 MB, more than a query may have.
 */
const streamFormats = {
  CSVWithNames: { max_block_size: '8192' },
  JSONEachRow: { max_block_size: '8192' },
  Parquet: {},
} as const;
export type StreamFormat = keyof typeof streamFormats;

export const streamSettings = (format: StreamFormat) => ({
  http_send_timeout: sendSeconds,
  max_execution_time: streamSeconds,
  ...streamFormats[format],
});
