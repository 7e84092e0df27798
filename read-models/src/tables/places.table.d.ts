/** Where a screen stood, in segments of time; the row with an empty screen is the network's own zone. */
export declare const screenPlaces: {
  name: string;
  about: string;
  orderBy: string[];
  replacing: {
    version: string;
    deleted: string;
  };
  granularity: number;
  fields: {
    version: import('@popsvc/platform/clickhouse').Field;
    is_deleted: import('@popsvc/platform/clickhouse').Field;
    valid_from: import('@popsvc/platform/clickhouse').Field;
    device_id: import('@popsvc/platform/clickhouse').Field;
    location_id: import('@popsvc/platform/clickhouse').Field;
    site_id: import('@popsvc/platform/clickhouse').Field;
    site_tz: import('@popsvc/platform/clickhouse').Field;
    device_tz: import('@popsvc/platform/clickhouse').Field;
    opens: import('@popsvc/platform/clickhouse').Field;
    closes: import('@popsvc/platform/clickhouse').Field;
    known: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    screen_id: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const devicePlaces: {
  name: string;
  about: string;
  orderBy: string[];
  replacing: {
    version: string;
    deleted: string;
  };
  granularity: number;
  fields: {
    version: import('@popsvc/platform/clickhouse').Field;
    is_deleted: import('@popsvc/platform/clickhouse').Field;
    valid_from: import('@popsvc/platform/clickhouse').Field;
    device_id: import('@popsvc/platform/clickhouse').Field;
    location_id: import('@popsvc/platform/clickhouse').Field;
    site_id: import('@popsvc/platform/clickhouse').Field;
    site_tz: import('@popsvc/platform/clickhouse').Field;
    device_tz: import('@popsvc/platform/clickhouse').Field;
    opens: import('@popsvc/platform/clickhouse').Field;
    closes: import('@popsvc/platform/clickhouse').Field;
    known: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const coffeeThresholds: {
  name: 'coffee_thresholds';
  about: string;
  orderBy: string[];
  replacing: {
    version: string;
    deleted: string;
  };
  fields: {
    version: import('@popsvc/platform/clickhouse').Field;
    is_deleted: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    valid_from: import('@popsvc/platform/clickhouse').Field;
    definition: import('@popsvc/platform/clickhouse').Field;
    min_presence_ms: import('@popsvc/platform/clickhouse').Field;
    merge_gap_ms: import('@popsvc/platform/clickhouse').Field;
    impression_ms: import('@popsvc/platform/clickhouse').Field;
    glance_ms: import('@popsvc/platform/clickhouse').Field;
    view_ms: import('@popsvc/platform/clickhouse').Field;
    view_through_slack_ms: import('@popsvc/platform/clickhouse').Field;
    view_through_permille: import('@popsvc/platform/clickhouse').Field;
  };
};
export declare const watcherThresholds: {
  name: 'watcher_thresholds';
  about: string;
  orderBy: string[];
  replacing: {
    version: string;
    deleted: string;
  };
  fields: {
    version: import('@popsvc/platform/clickhouse').Field;
    is_deleted: import('@popsvc/platform/clickhouse').Field;
    network_id: import('@popsvc/platform/clickhouse').Field;
    valid_from: import('@popsvc/platform/clickhouse').Field;
    definition: import('@popsvc/platform/clickhouse').Field;
    min_presence_ms: import('@popsvc/platform/clickhouse').Field;
    merge_gap_ms: import('@popsvc/platform/clickhouse').Field;
    impression_ms: import('@popsvc/platform/clickhouse').Field;
    glance_ms: import('@popsvc/platform/clickhouse').Field;
    view_ms: import('@popsvc/platform/clickhouse').Field;
    view_through_slack_ms: import('@popsvc/platform/clickhouse').Field;
    view_through_permille: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=places.table.d.ts.map
