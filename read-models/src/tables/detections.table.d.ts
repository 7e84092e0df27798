export declare const detections: {
  name: 'detections';
  about: string;
  orderBy: string[];
  day: string;
  replacing: {};
  indexes: {
    by_pos: string;
  };
  granularity: number;
  fields: {
    pos: import('@popsvc/platform/clickhouse').Field;
    received_at: import('@popsvc/platform/clickhouse').Field;
    recorded_at: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    vendor: import('@popsvc/platform/clickhouse').Field;
    detection_id: import('@popsvc/platform/clickhouse').Field;
    revision: import('@popsvc/platform/clickhouse').Field;
    device_id: import('@popsvc/platform/clickhouse').Field;
    feeder_id: import('@popsvc/platform/clickhouse').Field;
    camera_id: import('@popsvc/platform/clickhouse').Field;
    watcher_id: import('@popsvc/platform/clickhouse').Field;
    reid: import('@popsvc/platform/clickhouse').Field;
    started_at: import('@popsvc/platform/clickhouse').Field;
    ended_at: import('@popsvc/platform/clickhouse').Field;
    gender: import('@popsvc/platform/clickhouse').Field;
    age: import('@popsvc/platform/clickhouse').Field;
    age_category: import('@popsvc/platform/clickhouse').Field;
    mood: import('@popsvc/platform/clickhouse').Field;
    distance: import('@popsvc/platform/clickhouse').Field;
    watch_starts: import('@popsvc/platform/clickhouse').Field;
    watch_ends: import('@popsvc/platform/clickhouse').Field;
    population: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const observations: {
  name: 'observations';
  about: string;
  orderBy: string[];
  day: string;
  replacing: {};
  indexes: {
    by_pos: string;
  };
  granularity: number;
  fields: {
    pos: import('@popsvc/platform/clickhouse').Field;
    received_at: import('@popsvc/platform/clickhouse').Field;
    recorded_at: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    vendor: import('@popsvc/platform/clickhouse').Field;
    detection_id: import('@popsvc/platform/clickhouse').Field;
    revision: import('@popsvc/platform/clickhouse').Field;
    device_id: import('@popsvc/platform/clickhouse').Field;
    feeder_id: import('@popsvc/platform/clickhouse').Field;
    camera_id: import('@popsvc/platform/clickhouse').Field;
    watcher_id: import('@popsvc/platform/clickhouse').Field;
    reid: import('@popsvc/platform/clickhouse').Field;
    started_at: import('@popsvc/platform/clickhouse').Field;
    ended_at: import('@popsvc/platform/clickhouse').Field;
    gender: import('@popsvc/platform/clickhouse').Field;
    age: import('@popsvc/platform/clickhouse').Field;
    age_category: import('@popsvc/platform/clickhouse').Field;
    mood: import('@popsvc/platform/clickhouse').Field;
    distance: import('@popsvc/platform/clickhouse').Field;
    watch_starts: import('@popsvc/platform/clickhouse').Field;
    watch_ends: import('@popsvc/platform/clickhouse').Field;
    population: import('@popsvc/platform/clickhouse').Field;
  };
};
/** Which detections a device made in each span of five minutes; of one time together, as plays are. */
export declare const detectionSpans: {
  readonly name: 'detection_spans';
  readonly about: 'Versions of detections by device and five-minute span; a look-up for projecting, not for reports.';
  readonly orderBy: readonly ['network_id', 'span', 'device_id', 'vendor', 'detection_id', 'started_at', 'ended_at'];
  readonly day: 'started_at';
  readonly replacing: {};
  readonly granularity: 1024;
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly device_id: import('@popsvc/platform/clickhouse').Field;
    readonly span: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly detection_id: import('@popsvc/platform/clickhouse').Field;
    readonly started_at: import('@popsvc/platform/clickhouse').Field;
    readonly ended_at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=detections.table.d.ts.map
