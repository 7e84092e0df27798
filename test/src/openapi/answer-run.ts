import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedReplies } from './closed-replies.ts';
import { describedServers } from '@popsvc/tools/reference-pages';

/** What the servers of a run answered. */
export interface AnswersOfRun {
  /** Each with the test that was running. */
  readonly wrong: readonly string[];
  /** Answers with 2xx, by operation of the documents; 0 for those nobody got. */
  readonly successes: ReadonlyMap<string, number>;
  readonly answers: number;
}

export interface WatchedRun {
  /** Variables for the processes of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Told once, when they are over. */
  end(): AnswersOfRun;
}

const preload = new URL('watch-answers.js', import.meta.url).href;
const own = `--import=${preload}`;

const files = (folder: string, beginning: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(beginning))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Has every process that is given its variables watched. */
export const watchRun = (): WatchedRun => {
  const folder = mkdtempSync(join(tmpdir(), `popsvc-test-${process.pid}-answers-`));
  const documents = closedReplies(describedServers);
  writeFileSync(join(folder, 'documents.json'), JSON.stringify(documents));
  return {
    env: { POPSVC_ANSWERS: folder, NODE_OPTIONS: [process.env['NODE_OPTIONS'], own].filter(Boolean).join(' ') },
    end() {
      const wrong = files(folder, 'wrong-').flatMap((text) => text.split(/\n(?=\S)/).map((one) => one.trimEnd()));
      const counts = files(folder, 'counts-').flatMap((text) => JSON.parse(text) as [string, number][]);
      if (existsSync(folder)) rmSync(folder, { recursive: true });
      const successes = new Map(Object.entries(documents.operations).map(([key, { name }]) => [`${key} (${name})`, 0]));
      for (const [asked, count] of counts) {
        const [, key = '', status = ''] = /^(.*) (\d+)$/.exec(asked) ?? [];
        const operation = documents.operations[key];
        const told = operation && `${key} (${operation.name})`;
        if (told && status.startsWith('2')) successes.set(told, (successes.get(told) ?? 0) + count);
      }
      return { wrong, successes, answers: counts.reduce((sum, [, count]) => sum + count, 0) };
    },
  };
};
