import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Machine } from '../bench/harness/machine.ts';
import { short, table } from '../bench/harness/table.ts';
import { type Flatness, flatnessOf, notFlat } from './flatness.ts';
import type { Lives } from './lives.ts';
import { agesText, faultsTable, flatnessRule, flatnessTable, readsTable, triesTable } from './print.ts';
import type { Soaked } from './run-soak.ts';

const folder = resolve(import.meta.dirname, '../../../bench-results');

/** Where results of a run are kept, beside those of the benchmarks. */
export const resultsFile = async (atMs: number, ending: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  return join(folder, `${new Date(atMs).toISOString().replaceAll(/[:.]/g, '-')}-soak.${ending}`);
};

/** How the longest life of each part went, and what of it is not flat. */
export const judged = (lives: Lives): { readonly flatness: readonly Flatness[]; readonly wrong: readonly string[] } => {
  const flatness = lives.longest().flatMap((life) => flatnessOf(life) ?? []);
  return { flatness, wrong: flatness.flatMap(notFlat) };
};

export interface Told {
  readonly atMs: number;
  readonly wish: unknown;
  readonly before: Machine;
  readonly after: Machine;
  readonly soak: Soaked;
  readonly flatness: readonly Flatness[];
  /** What was asked in the end, and what was found. */
  readonly answers: readonly (readonly [string, string])[];
  /** By folder, bytes. */
  readonly disk: readonly (readonly [string, number])[];
  readonly complaints: readonly string[];
}

/** All of it, for programs; resolves with the file. */
export const writeResults = async ({ atMs, wish, before, after, soak, ...told }: Told): Promise<string> => {
  const { ages, ledger, lives, faults, reads, replays } = soak;
  const file = await resultsFile(atMs, 'json');
  const results = {
    at: new Date(atMs).toISOString(),
    wish,
    machine: before,
    loadAfter: after.load,
    tries: ledger.tries,
    reads,
    agesMs: ages,
    replays,
    faults,
    lives: Object.fromEntries(lives.counts),
    mostBytes: Object.fromEntries(lives.most),
    longest: lives.longest(),
    ...told,
  };
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
};

/** The same for people. */
export const tablesOf = ({ before, after, soak, flatness, answers, disk, complaints }: Told): string => {
  const { ledger, lives, faults, reads, replays } = soak;
  const { cpu, cores, memoryGiB, node, load } = before;
  const parts = [
    triesTable(ledger),
    readsTable(reads),
    agesText(soak.ages),
    faultsTable(faults),
    `${replays.replayed} replays, ${replays.verified} of them verified, ${replays.rolledBack} taken back`,
    flatnessTable(flatness, lives.most, lives.counts),
    flatnessRule,
    table([['on disk', 'MB'], ...disk.map(([name, bytes]) => [name, short(bytes / 2 ** 20)])]),
    table([['asked in the end', 'found'], ...answers]),
    complaints.length === 0
      ? 'Nothing was wrong.'
      : [`${complaints.length} things were wrong:`, ...complaints.slice(0, 50)].join('\n'),
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, load ${load?.toFixed(1)} before and ${after.load?.toFixed(1)} after`,
  ];
  return `${parts.join('\n\n')}\n`;
};
