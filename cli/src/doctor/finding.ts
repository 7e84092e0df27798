export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped';

/** What a check found; the same form in which the operations server tells its own. */
export interface Finding {
  readonly check: string;
  readonly outcome: Outcome;
  readonly found: string;
  readonly advice: string | null;
}

export interface Diagnosis {
  readonly at: string;
  /** The worst of all. */
  readonly outcome: 'ok' | 'warning' | 'failed';
  readonly findings: readonly Finding[];
}

export const diagnosis = (findings: readonly Finding[]): Diagnosis => {
  const has = (outcome: Outcome) => findings.some((finding) => finding.outcome === outcome);
  const outcome = has('failed') ? 'failed' : has('warning') ? 'warning' : 'ok';
  return { at: new Date().toISOString(), outcome, findings };
};
