import { quantile } from '../bench/harness/statistics.ts';
import { short, table } from '../bench/harness/table.ts';
import { allowances, type Flatness } from './flatness.ts';
import type { Ledger } from './ledger.ts';

const mb = 2 ** 20;

/** Tries of each kind of request. */
export const triesTable = ({ tries }: Pick<Ledger, 'tries'>): string =>
  table([
    ['sent', 'ok', 'unknown, sent again', 'failed'],
    ...Object.entries(tries).map(([kind, { ok, unknown, fail }]) => [kind, ...[ok, unknown, fail].map(String)]),
  ]);

export const readsTable = (reads: Readonly<Record<string, { readonly done: number; readonly away: number }>>): string =>
  table([
    ['read', 'to the end', 'turned away after a kill'],
    ...Object.entries(reads).map(([name, { done, away }]) => [name, String(done), String(away)]),
  ]);

/** How old what was read was, by X-Data-As-Of, between kills and around them. */
export const agesText = (ages: Readonly<Record<'calm' | 'rough', readonly number[]>>): string => {
  const told = (of: readonly number[]) =>
    `${[0.5, 0.95, 1].map((share) => (quantile(of, share) / 1_000).toFixed(1)).join(', ')} s (p50, p95, most) of ${of.length}`;
  return `Age of what was read: between kills ${told(ages.calm)}; around them ${told(ages.rough)}`;
};

export const faultsTable = (done: readonly { readonly what: string; readonly wholeAfterMs: number }[]): string => {
  const names = [...new Set(done.map(({ what }) => what))];
  const slowest = (name: string) =>
    Math.max(...done.flatMap(({ what, wholeAfterMs }) => (what === name ? [wholeAfterMs / 1_000] : [])));
  return table([
    ['killed', 'times', 'whole again after, at most'],
    ...names.map((name) => [
      name,
      String(done.filter(({ what }) => what === name).length),
      `${slowest(name).toFixed(1)} s`,
    ]),
  ]);
};

/** How the longest life of each part went, past its warm-up. */
export const flatnessTable = (
  lives: readonly Flatness[],
  most: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
): string => {
  const rows = lives.map(({ part, minutes, bytes, handles, threads }) => [
    part,
    String(counts.get(part) ?? 0),
    short(minutes),
    short(bytes.first / mb),
    short(bytes.last / mb),
    short(bytes.perHour / mb),
    short((most.get(part) ?? 0) / mb),
    `${handles.first} to ${handles.last}`,
    short(handles.perHour),
    `${threads.first} to ${threads.last}`,
    [bytes, handles, threads].every(({ isFlat }) => isFlat) ? 'flat' : 'NOT FLAT',
  ]);
  const head = [
    'part',
    'lives',
    'minutes',
    'MB, first',
    'MB, last',
    'MB/h',
    'MB, most',
    'handles',
    'handles/h',
    'threads',
    '',
  ];
  return table([head, ...rows]);
};

const { bytes, handles, threads } = allowances;

export const flatnessRule =
  'Of the longest life of each part, past its warm-up (two minutes, at most a third of it), the median of the last third ' +
  `against that of the first: memory at most ${bytes.times} times and ${bytes.plus / mb} MB more, handles ${handles.times} times ` +
  `and ${handles.plus} more, threads ${threads.plus} more.`;
