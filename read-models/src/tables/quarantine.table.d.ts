/** Events of vendors' own schemas that no mapping could turn into a play when they came, and what became of them since. */
export declare const quarantine: {
  readonly name: 'quarantine';
  readonly about: 'Events that wait, or once waited, for a mapping that fits or for the registry to learn their screen.';
  readonly orderBy: readonly ['network_id', 'vendor', 'schema_version', 'pos'];
  readonly day: 'received_at';
  readonly replacing: {
    readonly version: 'tried_pos';
  };
  readonly indexes: {
    readonly by_event: 'event_id TYPE bloom_filter(0.01) GRANULARITY 1';
  };
  readonly granularity: 1024;
  readonly fields: {
    readonly pos: import('@popsvc/platform/clickhouse').Field;
    readonly received_at: import('@popsvc/platform/clickhouse').Field;
    readonly recorded_at: import('@popsvc/platform/clickhouse').Field;
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly schema_version: import('@popsvc/platform/clickhouse').Field;
    readonly tried_pos: import('@popsvc/platform/clickhouse').Field;
    readonly tried_at: import('@popsvc/platform/clickhouse').Field;
    readonly state: import('@popsvc/platform/clickhouse').Field;
    readonly mapping_version: import('@popsvc/platform/clickhouse').Field;
    readonly event_id: import('@popsvc/platform/clickhouse').Field;
    readonly code: import('@popsvc/platform/clickhouse').Field;
    readonly reason: import('@popsvc/platform/clickhouse').Field;
    readonly screens: import('@popsvc/platform/clickhouse').Field;
    readonly raw: import('@popsvc/platform/clickhouse').Field;
    readonly raw_bytes: import('@popsvc/platform/clickhouse').Field;
    readonly max_age_days: import('@popsvc/platform/clickhouse').Field;
    readonly job_id: import('@popsvc/platform/clickhouse').Field;
    readonly job_row: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=quarantine.table.d.ts.map
