import type { Found } from './problem.ts';
import type { Overview } from './overview.schemas.ts';

interface Told {
  readonly history: Overview['history'];
  readonly refusedBy: Overview['refused_by'];
}

/** Refusals are many when they are more than so many events of a quarter of an hour, and more than this part of what came. */
const [manyRefused, refusedShare, recentMinutes] = [50, 0.05, 15];

/** Much of what came of late was refused. */
export const refusals = ({ history, refusedBy }: Told): Found[] => {
  const recent = history.slice(-recentMinutes);
  const sum = (field: 'accepted' | 'refused') => recent.reduce((all, minute) => all + (minute[field] ?? 0), 0);
  const [accepted, refused] = [sum('accepted'), sum('refused')];
  if (refused < manyRefused || refused < refusedShare * (accepted + refused)) return [];
  const first = recent.find((minute) => (minute.refused ?? 0) > 0);
  const most = refusedBy[0] ? ` Most of the hour: ${refusedBy[0].code}.` : '';
  return [
    {
      severity: 'warning',
      what: `${refused} of ${accepted + refused} events of the last ${recentMinutes} minutes were refused.${most}`,
      sinceMs: first && Date.parse(first.minute),
      advice:
        refusedBy[0]?.code === 'bulk_refused'
          ? 'Rows of bulk files: popsvc jobs list tells of which, popsvc jobs errors JOB_ID which rows and why.'
          : 'The log of command-api names request, key and reason; the vendor was told them, too.',
    },
  ];
};

/** Nobody tells of what comes in any more, who did within the hour. */
export const silence = ({ history }: Pick<Told, 'history'>): Found[] => {
  const last = history.findLastIndex(({ accepted }) => accepted !== null);
  if (last < 0 || last >= history.length - 2) return [];
  return [
    {
      severity: 'failed',
      what: 'No process takes events in.',
      sinceMs: Date.parse(history[last + 1]!.minute),
      advice: 'Start command-api, or see whether it reaches PostgreSQL.',
    },
  ];
};
