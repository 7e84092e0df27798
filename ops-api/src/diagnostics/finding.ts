/** `skipped`: what it needs does not answer, which another finding says. */
export const outcomes = ['ok', 'warning', 'failed', 'skipped'] as const;
export type Outcome = (typeof outcomes)[number];

/** What a check found, and what is to be done about it. */
export interface Finding {
  /** What was looked at, for example `postgresql` or `projection coffee`. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly found: string;
  /** Null where nothing is to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, outcome: 'ok', found, advice: null });
export const skipped = (check: string, found: string): Finding => ({ check, outcome: 'skipped', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  outcome: 'warning',
  found,
  advice,
});
export const failed = (check: string, found: string, advice: string): Finding => ({
  check,
  outcome: 'failed',
  found,
  advice,
});
