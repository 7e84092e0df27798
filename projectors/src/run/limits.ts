export interface Limits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** How many rows that the registry made stale are computed again at a time; default 200,000. */
  readonly windowRows?: number;
}

/** 10,000 rows or 8 MB are the size ClickHouse likes; the age bounds how stale a quiet projection may be. */
export const liveLimits: Limits = { rows: 10_000, bytes: 8_000_000, ageMs: 250 };
