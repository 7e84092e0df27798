import { type ViewField } from '@popsvc/platform/clickhouse';
/**
 * Recorded outages without the stretches in which backfilled heartbeats show that it was alive: what is left of each, in order.
 * All stretches are of one length, so of heartbeats in order the gap after one ends with the next.
 * `recorded` and `beats` are queries of rows of the two tables.
 */
export declare const standingOutagesSql: (recorded: string, beats: string) => string;
/** Outages as they stand now; the domain's standingOutages is their specification. */
export declare const standingOutages: {
  readonly name: 'standing_outages';
  readonly about: 'When devices and feeders were offline, without the times for which heartbeats were backfilled: a recorded outage may be in several parts, or gone.';
  readonly over: {
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
  readonly from: (rowsOf: (table: import('@popsvc/platform/clickhouse').TableDefinition) => string) => string;
  readonly groupBy: readonly [];
  readonly fields: {
    readonly network_id: ViewField;
    readonly kind: ViewField;
    readonly id: ViewField;
    readonly offline_at: ViewField;
    readonly online_at: {
      readonly type: string;
      readonly isByTheWay?: true;
      readonly about: 'Until when; null while it lasts.';
      readonly sql: 'r.online_at';
    };
    readonly seconds: {
      readonly type: 'Float64';
      readonly about: 'How long, with milliseconds; up to now while it lasts.';
      readonly sql: "greatest(0, dateDiff('millisecond', r.offline_at, ifNull(r.online_at, now64(3)))) / 1000";
    };
    readonly backfilled: {
      readonly type: 'UInt8';
      readonly about: '1 where backfilled heartbeats shortened what was recorded.';
      readonly sql: 'r.backfilled';
    };
  };
};
//# sourceMappingURL=standing-outages.view.d.ts.map
