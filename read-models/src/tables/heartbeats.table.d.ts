/**
 * By who was heard before when: the uptime of an app in a window is one stretch of rows. A question to all devices at once
 * reads everything, so what is asked of all (who is online now) wants a table of its own.
 */
export declare const heartbeats: {
  readonly name: 'heartbeats';
  readonly about: 'Heartbeats of devices, of apps on them and of feeders, each as it was told; a backfilled one has an older `at`.';
  readonly orderBy: readonly ['network_id', 'device_id', 'feeder_id', 'app', 'at', 'pos'];
  readonly partitionBy: string;
  readonly day: 'at';
  readonly replacing: {};
  readonly granularity: 1024;
  readonly fields: {
    readonly pos: import('@popsvc/platform/clickhouse').Field;
    readonly received_at: import('@popsvc/platform/clickhouse').Field;
    readonly recorded_at: import('@popsvc/platform/clickhouse').Field;
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly device_id: import('@popsvc/platform/clickhouse').Field;
    readonly feeder_id: import('@popsvc/platform/clickhouse').Field;
    readonly app: import('@popsvc/platform/clickhouse').Field;
    readonly state: import('@popsvc/platform/clickhouse').Field;
    readonly at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=heartbeats.table.d.ts.map
