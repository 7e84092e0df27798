/** What the operations server tells of events, as far as texts show it. */
export interface ToldReceipt {
  readonly position: string;
  readonly received_at: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly raw: {
    readonly stream: string;
    readonly revision: string;
    readonly type: string;
    readonly data: unknown;
  } | null;
}

export interface ToldFound {
  readonly network_id: number;
  readonly vendor: string;
  readonly status: string;
  readonly received: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly conflict: number;
  readonly quarantined: number;
  readonly coffee_rows: number;
  readonly pop_types: readonly string[];
  readonly projected_at: string | null;
  readonly receipts: readonly ToldReceipt[];
  readonly balance: readonly object[];
}

export interface ToldEvent {
  readonly event_id: string;
  readonly found: readonly ToldFound[];
}

interface Side {
  readonly position: string;
  readonly received_at: string;
  readonly content: Readonly<Record<string, unknown>> | null;
}

export interface ToldConflict {
  readonly network_id: number;
  readonly vendor: string;
  readonly event_id: string;
  readonly differs: readonly string[];
  readonly first: Side;
  readonly later: Side;
}

export interface ToldConflicts {
  readonly since: string;
  readonly conflicts: readonly ToldConflict[];
  readonly next_before: string | null;
}

export interface ToldQuarantine {
  readonly reasons: readonly object[];
  readonly events: readonly {
    readonly position: string;
    readonly received_at: string;
    readonly vendor: string;
    readonly schema_version: string;
    readonly reason: string;
    readonly raw: string;
  }[];
  readonly next_before: string | null;
}

export interface ToldBalance {
  readonly since: string;
  readonly until: string | null;
  readonly sum: object | null;
  readonly hours: readonly object[];
}
