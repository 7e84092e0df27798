/** One row an event that reports a play, whatever became of it: what the balance of a vendor is counted from. */
export declare const receipts: {
  readonly name: 'receipts';
  readonly about: 'Every event of the log that reports a play, by the hour in which it was received, and what became of it.';
  readonly orderBy: readonly ['network_id', 'vendor', 'hour', 'pos'];
  readonly partitionBy: string;
  readonly day: 'hour';
  readonly replacing: {
    readonly version: 'version';
  };
  readonly fields: {
    readonly network_id: import('@popsvc/platform/clickhouse').Field;
    readonly vendor: import('@popsvc/platform/clickhouse').Field;
    readonly hour: import('@popsvc/platform/clickhouse').Field;
    readonly pos: import('@popsvc/platform/clickhouse').Field;
    readonly outcome: import('@popsvc/platform/clickhouse').Field;
    readonly event_id: import('@popsvc/platform/clickhouse').Field;
    readonly late: import('@popsvc/platform/clickhouse').Field;
    readonly clock_ahead: import('@popsvc/platform/clickhouse').Field;
    readonly version: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=receipts.table.d.ts.map
