/**
 * A job is at most five rows, one a part of its life, each written whole by one event: so it is folded without remembering
 * anything, and told again it stays as it is.
 */
export declare const bulkJobs: {
  readonly name: 'bulk_jobs';
  readonly about: 'Bulk jobs, a row for each part of their lives: queued, began, attempt (the latest), rows (how far), ended.';
  readonly orderBy: readonly ['job_id', 'part'];
  readonly day: 'recorded_at';
  readonly replacing: {
    readonly version: 'pos';
  };
  readonly granularity: 1024;
  readonly fields: {
    job_id: import('@popsvc/platform/clickhouse').Field;
    part: import('@popsvc/platform/clickhouse').Field;
    pos: import('@popsvc/platform/clickhouse').Field;
    recorded_at: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    vendor: import('@popsvc/platform/clickhouse').Field;
    key_id: import('@popsvc/platform/clickhouse').Field;
    file_id: import('@popsvc/platform/clickhouse').Field;
    file_name: import('@popsvc/platform/clickhouse').Field;
    format: import('@popsvc/platform/clickhouse').Field;
    schema_version: import('@popsvc/platform/clickhouse').Field;
    size_bytes: import('@popsvc/platform/clickhouse').Field;
    attempt: import('@popsvc/platform/clickhouse').Field;
    worker: import('@popsvc/platform/clickhouse').Field;
    bytes_read: import('@popsvc/platform/clickhouse').Field;
    processed_rows: import('@popsvc/platform/clickhouse').Field;
    error_rows: import('@popsvc/platform/clickhouse').Field;
    total_rows: import('@popsvc/platform/clickhouse').Field;
    status: import('@popsvc/platform/clickhouse').Field;
    reason: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=bulk-jobs.table.d.ts.map
