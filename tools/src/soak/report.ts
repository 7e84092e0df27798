import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Machine } from '../bench/harness/stored-ratios.ts';
import { formatNumber, formatTable } from '../bench/harness/report.ts';
import { quantile } from '../rig/statistics.ts';
import { allowances, describeGrowth, type Flatness, measureFlatness } from './flatness.ts';
import type { Ledger } from './ledger.ts';
import type { ProcessRuns } from './processes.ts';
import type { SoakResult } from './run-soak.ts';

const mb = 2 ** 20;

const formatAttempts = ({ attempts }: Pick<Ledger, 'attempts'>): string =>
  formatTable([
    ['request', 'ok', 'unknown, repeated', 'failed'],
    ...Object.entries(attempts).map(([kind, { ok, unknown, fail }]) => [kind, ...[ok, unknown, fail].map(String)]),
  ]);

const formatReads = (
  reads: Readonly<Record<string, { readonly done: number; readonly expectedFailures: number }>>,
): string =>
  formatTable([
    ['reader', 'complete', 'expected failures after a kill'],
    ...Object.entries(reads).map(([name, { done, expectedFailures }]) => [
      name,
      String(done),
      String(expectedFailures),
    ]),
  ]);

/**
 * Formats percentiles of the report data's age, separately for reads inside and outside fault windows. The age is computed from
 * `X-Data-As-Of`.
 */
const formatAges = (ages: Readonly<Record<'outside' | 'inside', readonly number[]>>): string => {
  const summarize = (of: readonly number[]) =>
    `${[0.5, 0.95, 1].map((share) => (quantile(of, share) / 1_000).toFixed(1)).join(', ')} s (p50, p95, max) of ${of.length}`;
  return `Age of the reports: outside of fault windows ${summarize(ages.outside)}; inside ${summarize(ages.inside)}`;
};

const formatFaults = (done: readonly { readonly what: string; readonly recoveredAfterMs: number }[]): string => {
  const names = [...new Set(done.map(({ what }) => what))];
  const slowest = (name: string) =>
    Math.max(...done.flatMap(({ what, recoveredAfterMs }) => (what === name ? [recoveredAfterMs / 1_000] : [])));
  return formatTable([
    ['killed', 'times', 'longest recovery'],
    ...names.map((name) => [
      name,
      String(done.filter(({ what }) => what === name).length),
      `${slowest(name).toFixed(1)} s`,
    ]),
  ]);
};

/** Formats the resource use of each process in its longest run, excluding the warm-up. */
const formatFlatness = (
  runs: readonly Flatness[],
  maxBytes: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
): string => {
  const rows = runs.map(({ part, minutes, bytes, handles, threads }) => [
    part,
    String(counts.get(part) ?? 0),
    formatNumber(minutes),
    formatNumber(bytes.first / mb),
    formatNumber(bytes.last / mb),
    formatNumber(bytes.perHour / mb),
    formatNumber((maxBytes.get(part) ?? 0) / mb),
    `${handles.first} to ${handles.last}`,
    formatNumber(handles.perHour),
    `${threads.first} to ${threads.last}`,
    [bytes, handles, threads].every(({ isFlat }) => isFlat) ? 'flat' : 'NOT FLAT',
  ]);
  const head = [
    'process',
    'runs',
    'minutes',
    'MB, first',
    'MB, last',
    'MB/h',
    'MB, max',
    'handles',
    'handles/h',
    'threads',
    '',
  ];
  return formatTable([head, ...rows]);
};

const { bytes, handles, threads } = allowances;

const flatnessRule =
  'Longest run of each process after its warm-up (two minutes, at most a third of the run): the median of the last third ' +
  `may exceed that of the first third by: memory at most ${bytes.times} times and ${bytes.plus / mb} MB more, handles ${handles.times} times ` +
  `and ${handles.plus} more, threads ${threads.plus} more.`;

const folder = resolve(import.meta.dirname, '../../../bench-results');

/** Creates the folder `bench-results` and returns the path for one of this run's result files. */
export const createResultPath = async (atMs: number, ending: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  return join(folder, `${new Date(atMs).toISOString().replaceAll(/[:.]/g, '-')}-soak.${ending}`);
};

/** Evaluates the longest run of each process; `growth` describes the resources that grew more than allowed. */
export const evaluateRuns = (
  runs: ProcessRuns,
): { readonly flatness: readonly Flatness[]; readonly growth: readonly string[] } => {
  const flatness = runs.longest().flatMap((run) => measureFlatness(run) ?? []);
  return { flatness, growth: flatness.flatMap(describeGrowth) };
};

interface SoakReport {
  readonly atMs: number;
  readonly options: unknown;
  readonly before: Machine;
  readonly after: Machine;
  readonly soak: SoakResult;
  readonly flatness: readonly Flatness[];
  /** Name and result of each oracle check. */
  readonly checks: readonly (readonly [string, string])[];
  /** Size on disk in bytes, by folder. */
  readonly disk: readonly (readonly [string, number])[];
  readonly failures: readonly string[];
}

/** Writes the report as JSON and resolves with the path. */
export const writeReport = async ({ atMs, options, before, after, soak, ...report }: SoakReport): Promise<string> => {
  const { ages, ledger, runs, faults, reads, replays } = soak;
  const file = await createResultPath(atMs, 'json');
  const results = {
    at: new Date(atMs).toISOString(),
    options,
    machine: before,
    loadAfter: after.load,
    tries: ledger.attempts,
    reads,
    agesMs: ages,
    replays,
    faults,
    runs: Object.fromEntries(runs.counts),
    maxBytes: Object.fromEntries(runs.maxBytes),
    longest: runs.longest(),
    ...report,
  };
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
};

/** Formats the report as tables for the terminal. */
export const formatReport = ({ before, after, soak, flatness, checks, disk, failures }: SoakReport): string => {
  const { ledger, runs, faults, reads, replays } = soak;
  const { cpu, cores, memoryGiB, node, load } = before;
  const parts = [
    formatAttempts(ledger),
    formatReads(reads),
    formatAges(soak.ages),
    formatFaults(faults),
    `${replays.replayed} replays, ${replays.verified} of them verified, ${replays.rolledBack} rolled back`,
    formatFlatness(flatness, runs.maxBytes, runs.counts),
    flatnessRule,
    formatTable([['on disk', 'MB'], ...disk.map(([name, bytes]) => [name, formatNumber(bytes / 2 ** 20)])]),
    formatTable([['check', 'result'], ...checks]),
    failures.length === 0 ? 'No failures.' : [`${failures.length} failures:`, ...failures.slice(0, 50)].join('\n'),
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, load ${load?.toFixed(1)} before and ${after.load?.toFixed(1)} after`,
  ];
  return `${parts.join('\n\n')}\n`;
};
