/** Every receipt of a play is kept, so that duplicates and conflicts can be told; the first in the log is the play. */
export declare const plays: {
  readonly name: 'plays';
  readonly about: 'Plays as vendors reported them, each receipt once; of one (network, vendor, event_id) the lowest pos stands.';
  readonly orderBy: readonly ['network_id', 'vendor', 'event_id', 'pos'];
  readonly day: 'played_at';
  readonly replacing: {};
  readonly indexes: {
    readonly by_pos: 'pos TYPE minmax GRANULARITY 1';
  };
  readonly granularity: 1024;
  readonly fields: {
    readonly pos: import('@popsvc/platform/clickhouse').Field;
    readonly received_at: import('@popsvc/platform/clickhouse').Field;
    readonly recorded_at: import('@popsvc/platform/clickhouse').Field;
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly event_id: import('@popsvc/platform/clickhouse').Field;
    readonly content_hash: import('@popsvc/platform/clickhouse').Field;
    readonly screen_id: import('@popsvc/platform/clickhouse').Field;
    readonly site_ref: import('@popsvc/platform/clickhouse').Field;
    readonly campaign_ref: import('@popsvc/platform/clickhouse').Field;
    readonly creative_ref: import('@popsvc/platform/clickhouse').Field;
    readonly played_at: import('@popsvc/platform/clickhouse').Field;
    readonly duration_ms: import('@popsvc/platform/clickhouse').Field;
    readonly play_reason: import('@popsvc/platform/clickhouse').Field;
    readonly late: import('@popsvc/platform/clickhouse').Field;
    readonly clock_ahead: import('@popsvc/platform/clickhouse').Field;
    readonly payload: import('@popsvc/platform/clickhouse').Field;
    readonly schema_version: import('@popsvc/platform/clickhouse').Field;
    readonly job_id: import('@popsvc/platform/clickhouse').Field;
    readonly job_row: import('@popsvc/platform/clickhouse').Field;
  };
};
/**
 * Which plays a screen showed in each span of five minutes, so that a detection finds them whatever their length. The span
 * comes before the screen: a batch asks for many screens of one time, which so lie together however long the past is.
 */
export declare const playSpans: {
  readonly name: 'play_spans';
  readonly about: 'Receipts of plays by screen and five-minute span; a look-up for projecting, not for reports.';
  readonly orderBy: readonly ['network_id', 'span', 'screen_id', 'vendor', 'event_id', 'played_at', 'ended_at'];
  readonly day: 'played_at';
  readonly replacing: {};
  readonly granularity: 1024;
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly screen_id: import('@popsvc/platform/clickhouse').Field;
    readonly span: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly event_id: import('@popsvc/platform/clickhouse').Field;
    readonly played_at: import('@popsvc/platform/clickhouse').Field;
    readonly ended_at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=plays.table.d.ts.map
