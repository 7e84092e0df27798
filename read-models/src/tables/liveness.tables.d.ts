/** One row each, so that who is online now costs as much as there are devices, however long they were heard. */
export declare const liveness: {
  readonly name: 'device_liveness';
  readonly about: 'When each device and feeder was last heard: the latest receipt of a heartbeat that counted.';
  readonly orderBy: readonly ['network_id', 'kind', 'id'];
  readonly replacing: {
    readonly version: 'version';
  };
  readonly granularity: 1024;
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly kind: import('@popsvc/platform/clickhouse').Field;
    readonly id: import('@popsvc/platform/clickhouse').Field;
    readonly last_received_at: import('@popsvc/platform/clickhouse').Field;
    readonly version: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const outages: {
  readonly name: 'outages';
  readonly about: 'When devices and feeders were offline, as it was recorded; what was backfilled later is in backfilled_beats.';
  readonly orderBy: readonly ['network_id', 'kind', 'id', 'offline_at'];
  readonly day: 'offline_at';
  readonly replacing: {
    readonly version: 'pos';
  };
  readonly granularity: 1024;
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly kind: import('@popsvc/platform/clickhouse').Field;
    readonly id: import('@popsvc/platform/clickhouse').Field;
    readonly offline_at: import('@popsvc/platform/clickhouse').Field;
    readonly online_at: import('@popsvc/platform/clickhouse').Field;
    readonly pos: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const backfilledBeats: {
  readonly name: 'backfilled_beats';
  readonly about: 'Heartbeats that came too late to be heard in time: they say that it was alive for 300 s from then, and shorten the outage of that time.';
  readonly orderBy: readonly ['network_id', 'kind', 'id', 'at', 'received_at'];
  readonly partitionBy: string;
  readonly day: 'at';
  readonly replacing: {};
  readonly granularity: 1024;
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly kind: import('@popsvc/platform/clickhouse').Field;
    readonly id: import('@popsvc/platform/clickhouse').Field;
    readonly at: import('@popsvc/platform/clickhouse').Field;
    readonly received_at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=liveness.tables.d.ts.map
