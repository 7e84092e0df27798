import { basename, dirname, join } from 'node:path';
import type { RoundRange, RoundResults } from '../support/rounds.ts';
import type { Damage } from './damaged-files.fixture.ts';

/** What a damaged file caused, and whether that is right. */
const outcomes = {
  refused: { isRight: true, about: 'no start; the message names the damaged file' },
  healed: { isRight: true, about: 'some responses were errors, then all were as before' },
  harmless: { isRight: true, about: 'all was as before at once' },
  reported: { isRight: true, about: 'what is damaged answers with an error, and is reported' },
  unnamed: { isRight: false, about: 'no start; the message does not name the damaged file' },
  unreported: { isRight: false, about: 'errors that stay, and are not reported' },
  silent: { isRight: false, about: 'a response differs, without an error' },
} as const;
export type Outcome = keyof typeof outcomes;

export interface Verdict {
  readonly outcome: Outcome;
  /** The message, or what differs. */
  readonly detail: string;
}

export interface RoundResult extends Damage, Verdict {
  readonly round: number;
  readonly seconds: number;
}

const maxDetailLength = 600;

/** Judges the message of an engine or a service that refuses a damaged folder. The message must name the file. */
export const judgeRefusal = ({ path, other }: Damage, message: string): Verdict => {
  const names = [path, other].flatMap((each) => {
    if (each === undefined) return [];
    // A number alone may be something else.
    return /^\d+$/.test(basename(each)) ? join(basename(dirname(each)), basename(each)) : basename(each);
  });
  const isNamed = names.some((name) => message.includes(name));
  return { outcome: isNamed ? 'refused' : 'unnamed', detail: message.slice(-maxDetailLength) };
};

/** Formats the number of rounds by kind of file, kind of damage and outcome, as a table in Markdown. */
const formatTable = (all: readonly RoundResult[]): string => {
  const found = (Object.keys(outcomes) as Outcome[]).filter((name) => all.some(({ outcome }) => outcome === name));
  const groups = new Map<string, RoundResult[]>();
  for (const result of all) {
    const key = `| ${result.file} | ${result.kind} `;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  const cells = (results: readonly RoundResult[]) =>
    found.map((name) => `| ${results.filter(({ outcome }) => outcome === name).length || ''} `).join('');
  return [
    `| File | Damage ${found.map((name) => `| ${name} `).join('')}|`,
    `| --- | --- ${found.map(() => '| ---: ').join('')}|`,
    ...[...groups].sort(([one], [other]) => one.localeCompare(other)).map(([key, group]) => `${key}${cells(group)}|`),
    `| all | ${all.length} ${cells(all)}|`,
    '',
    ...found.map((name) => `- ${name}: ${outcomes[name].about}`),
    '',
  ].join('\n');
};

/**
 * Runs the rounds that have no result yet, prints each result, and then the table of all results. Returns the results that are
 * wrong.
 */
export const runDamageRounds = async (
  { first, last }: RoundRange,
  results: RoundResults<RoundResult>,
  runRound: (round: number) => Promise<Damage & Verdict>,
): Promise<readonly RoundResult[]> => {
  const isWrong = ({ outcome }: Verdict) => !outcomes[outcome].isRight;
  for (let round = first; round <= last; round += 1) {
    if (results.has(round)) continue;
    const startedAt = performance.now();
    const judged = await runRound(round);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    results.add({ round, ...judged, seconds });
    const { file, kind, path, description, outcome, detail } = judged;
    const shown = isWrong(judged) ? `\n        ${path}, ${description}: ${detail}` : '';
    process.stdout.write(`      ${round}: ${file}, ${kind}: ${outcome} (${seconds} s)${shown}\n`);
  }
  if (results.all.length > last - first + 1 || last > first) process.stdout.write(`\n${formatTable(results.all)}\n`);
  return results.all.filter(isWrong);
};
