/** What the dataset `watcher-summary` is read from: one row a detection. */
export declare const watcherSummary: {
  readonly name: 'watcher_summary';
  readonly about: 'Who was detected, where and when, and how much they looked: one row a detection.';
  readonly orderBy: readonly ['network_id', 'ts', 'number'];
  readonly partitionBy: string;
  readonly day: 'ts';
  readonly replacing: {
    readonly version: 'version';
    readonly deleted: 'is_deleted';
  };
  readonly granularity: 2048;
  readonly fields: {
    readonly version: import('@popsvc/platform/clickhouse').Field;
    readonly is_deleted: import('@popsvc/platform/clickhouse').Field;
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly ts: import('@popsvc/platform/clickhouse').Field;
    readonly number: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly detection_id: import('@popsvc/platform/clickhouse').Field;
    readonly device_id: import('@popsvc/platform/clickhouse').Field;
    readonly location_id: import('@popsvc/platform/clickhouse').Field;
    readonly site_id: import('@popsvc/platform/clickhouse').Field;
    readonly site_tz: import('@popsvc/platform/clickhouse').Field;
    readonly feeder_id: import('@popsvc/platform/clickhouse').Field;
    readonly camera_id: import('@popsvc/platform/clickhouse').Field;
    readonly watcher_id: import('@popsvc/platform/clickhouse').Field;
    readonly gender: import('@popsvc/platform/clickhouse').Field;
    readonly age_category: import('@popsvc/platform/clickhouse').Field;
    readonly mood: import('@popsvc/platform/clickhouse').Field;
    readonly population: import('@popsvc/platform/clickhouse').Field;
    readonly detection_ms: import('@popsvc/platform/clickhouse').Field;
    readonly watch_ms: import('@popsvc/platform/clickhouse').Field;
    readonly is_watcher: import('@popsvc/platform/clickhouse').Field;
    readonly detection_pos: import('@popsvc/platform/clickhouse').Field;
    readonly recorded_at: import('@popsvc/platform/clickhouse').Field;
    readonly projected_at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=watcher-summary.table.d.ts.map
