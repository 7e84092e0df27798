import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';

export const refusalsCheck = createCheck('refusals', 'Few of the received events are refused.', {
  'bulk-rows': warning('`popsvc jobs list` shows the bulk jobs, `popsvc jobs errors JOB_ID` their refused rows.'),
  many: warning(
    '`popsvc events refusals` lists them by vendor, with the newest reason; the response named it to the vendor.',
  ),
});

/** Counts are null if no command-api process reported them. */
interface IntakeMinute {
  readonly minute: string;
  readonly accepted: number | null;
  readonly refused: number | null;
}

export interface RecentIntake {
  /** Complete minutes, oldest first. */
  readonly history: readonly IntakeMinute[];
  /** In the last hour, the most frequent code first. */
  readonly refusedBy: readonly { readonly code: string; readonly events: number }[];
}

const minRefused = 50;
const minRefusedShare = 0.05;
const recentMinutes = 15;

export const judgeRefusals = ({ history, refusedBy }: RecentIntake): Finding => {
  const recent = history.slice(-recentMinutes);
  const sumOf = (field: 'accepted' | 'refused') => recent.reduce((sum, minute) => sum + (minute[field] ?? 0), 0);
  const refused = sumOf('refused');
  const received = sumOf('accepted') + refused;
  const found = `${refused} of ${received} events of the last ${recentMinutes} minutes were refused`;
  if (refused < minRefused || refused < minRefusedShare * received) return refusalsCheck.ok({ found });
  const mostFrequent = refusedBy[0]?.code;
  const first = recent.find((minute) => (minute.refused ?? 0) > 0);
  return refusalsCheck.problem(mostFrequent === 'bulk_refused' ? 'bulk-rows' : 'many', {
    found: mostFrequent === undefined ? found : `${found}; most of the hour: ${mostFrequent}`,
    sinceMs: first && Date.parse(first.minute),
  });
};
