/** How a receipt came; empty and 0 where it was pushed in the canonical schema. */
export interface ReceiptOrigin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/** A receipt that is a play, as `playReceiptsQuery` tells it; times in ms since 1970. */
export interface PlayReceipt extends ReceiptOrigin {
  readonly position: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly late: number;
  readonly clock_ahead: number;
  readonly outcome: 'stored' | 'duplicate' | 'conflict';
  readonly played_ms: number;
  readonly duration_ms: number;
  readonly screen_id: string;
  readonly campaign_ref: string;
  readonly creative_ref: string;
  readonly play_reason: string;
  readonly total: number;
  readonly conflicts: number;
}

/** A receipt that is or was in quarantine, as `quarantinedReceiptsQuery` tells it. */
export interface QuarantinedReceipt extends ReceiptOrigin {
  readonly position: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly state: 'waiting' | 'released';
  readonly code: string;
  readonly reason: string;
  readonly tried_ms: number;
  readonly waiting: number;
}

/** What became of the play in the report, as `coffeeOfPlayQuery` tells it. */
export interface CoffeeOfPlay {
  readonly coffee_rows: number;
  readonly pop_types: readonly string[];
  readonly device_id: number;
  readonly site_id: number;
  readonly projected_ms: number | null;
}

export interface EventFound {
  readonly plays: readonly PlayReceipt[];
  readonly quarantined: readonly QuarantinedReceipt[];
  readonly coffee: CoffeeOfPlay | undefined;
}
