import { type ViewField } from '@popsvc/platform/clickhouse';
/** What became of what a vendor sent, hour by hour. Counted whole from the receipts at each read, never added up. */
export declare const vendorBalance: {
  readonly name: 'vendor_balance';
  readonly about: 'By network, vendor and hour of receipt: received = stored + duplicate + conflict + quarantined.';
  readonly over: {
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
  readonly groupBy: readonly ['network_id', 'vendor', 'hour'];
  readonly fields: {
    network_id: ViewField;
    vendor: ViewField;
    hour: ViewField;
    received: ViewField;
    stored: ViewField;
    duplicate: ViewField;
    conflict: ViewField;
    quarantined: ViewField;
    late: ViewField;
    clock_ahead: ViewField;
  };
};
//# sourceMappingURL=vendor-balance.view.d.ts.map
