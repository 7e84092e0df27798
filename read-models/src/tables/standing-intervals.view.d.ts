import { type ViewField } from '@popsvc/platform/clickhouse';
/** Of every interval the telling that stands; the domain's supersedeInterval is its specification. */
export declare const standingIntervals: {
  readonly name: 'standing_intervals';
  readonly about: 'How long apps on devices were in one state: of each (network, device, app, started_at) the telling that stands.';
  readonly over: {
    readonly name: 'intervals';
    readonly about: 'How long apps on devices were in one state, each telling kept; which of one (network, device, app, started_at) stands, standing_intervals says.';
    readonly orderBy: readonly ['network_id', 'device_id', 'app', 'started_at', 'pos'];
    readonly day: 'started_at';
    readonly replacing: {};
    readonly granularity: 1024;
    readonly fields: {
      readonly pos: import('@popsvc/platform/clickhouse').Field;
      readonly received_at: import('@popsvc/platform/clickhouse').Field;
      readonly recorded_at: import('@popsvc/platform/clickhouse').Field;
      readonly network_id: import('@popsvc/platform/clickhouse').Field;
      readonly vendor: import('@popsvc/platform/clickhouse').Field;
      readonly device_id: import('@popsvc/platform/clickhouse').Field;
      readonly app: import('@popsvc/platform/clickhouse').Field;
      readonly state: import('@popsvc/platform/clickhouse').Field;
      readonly started_at: import('@popsvc/platform/clickhouse').Field;
      readonly ended_at: import('@popsvc/platform/clickhouse').Field;
      readonly last_heartbeat_at: import('@popsvc/platform/clickhouse').Field;
      readonly revision: import('@popsvc/platform/clickhouse').Field;
    };
  };
  readonly groupBy: readonly ['network_id', 'device_id', 'app', 'started_at'];
  readonly fields: {
    network_id: ViewField;
    device_id: ViewField;
    app: ViewField;
    started_at: ViewField;
    vendor: ViewField;
    state: ViewField;
    ended_at: ViewField;
    last_heartbeat_at: ViewField;
    revision: ViewField;
    pos: ViewField;
    received_at: ViewField;
    recorded_at: ViewField;
  };
};
//# sourceMappingURL=standing-intervals.view.d.ts.map
