/**
 * When feeders were heard: of a play nobody was seen at it tells NONE from UNMEASURED. By span before feeder, since plays of
 * one time ask for many feeders of one time.
 */
export declare const feederBeats: {
  readonly name: 'feeder_beats';
  readonly about: 'Heartbeats of feeders by five-minute span; a look-up for projecting, not for reports.';
  readonly orderBy: readonly ['network_id', 'span', 'feeder_id', 'at', 'pos'];
  readonly day: 'at';
  readonly replacing: {};
  readonly indexes: {
    readonly by_pos: 'pos TYPE minmax GRANULARITY 1';
  };
  readonly granularity: 1024;
  readonly fields: {
    network_id: import('@popsvc/platform/clickhouse').Field;
    span: import('@popsvc/platform/clickhouse').Field;
    feeder_id: import('@popsvc/platform/clickhouse').Field;
    at: import('@popsvc/platform/clickhouse').Field;
    pos: import('@popsvc/platform/clickhouse').Field;
    reach_from: import('@popsvc/platform/clickhouse').Field;
  };
};
/** The device is part of the key: a segment that names another one leaves a tombstone, by which the plays of both are found. */
export declare const feederPlaces: {
  readonly name: 'feeder_places';
  readonly about: 'Which device a feeder belonged to, from when on.';
  readonly orderBy: readonly ['network_id', 'feeder_id', 'valid_from', 'device_id'];
  readonly replacing: {
    readonly version: 'version';
    readonly deleted: 'is_deleted';
  };
  readonly granularity: 1024;
  readonly fields: {
    readonly version: import('@popsvc/platform/clickhouse').Field;
    readonly is_deleted: import('@popsvc/platform/clickhouse').Field;
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly feeder_id: import('@popsvc/platform/clickhouse').Field;
    readonly valid_from: import('@popsvc/platform/clickhouse').Field;
    readonly device_id: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=feeders.table.d.ts.map
