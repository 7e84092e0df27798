import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedReplies } from './closed-replies.ts';
import { nameRunFolder } from '@popsvc/tools/rig';
import { describedServers } from '@popsvc/tools/reference-pages';

/** Responses of the servers of a test run. */
export interface AnswersOfRun {
  /** Problems, each with the running test. */
  readonly wrong: readonly string[];
  /** Number of 2xx responses by operation of the documents, including 0. */
  readonly successes: ReadonlyMap<string, number>;
  readonly answers: number;
}

export interface WatchedRun {
  /** Variables for the processes of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Collects the results; called once, after the processes have ended. */
  end(): AnswersOfRun;
}

const preload = new URL('watch-answers.js', import.meta.url).href;
const own = `--import=${preload}`;

const files = (folder: string, beginning: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(beginning))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Starts checking the responses of every process that gets the variables. */
export const watchRun = (): WatchedRun => {
  const folder = mkdtempSync(join(tmpdir(), `${nameRunFolder('answers')}-`));
  const documents = closedReplies(describedServers);
  writeFileSync(join(folder, 'documents.json'), JSON.stringify(documents));
  return {
    env: { POPSVC_ANSWERS: folder, NODE_OPTIONS: [process.env['NODE_OPTIONS'], own].filter(Boolean).join(' ') },
    end() {
      const wrong = files(folder, 'wrong-').flatMap((text) => text.split(/\n(?=\S)/).map((one) => one.trimEnd()));
      // A process that was killed while it wrote its counts leaves an incomplete file.
      const written = files(folder, 'counts-').filter((text) => text.endsWith(']'));
      const counts = written.flatMap((text) => JSON.parse(text) as [string, number][]);
      if (existsSync(folder)) rmSync(folder, { recursive: true });
      const successes = new Map(Object.entries(documents.operations).map(([key, { name }]) => [`${key} (${name})`, 0]));
      for (const [entry, count] of counts) {
        const [, key = '', status = ''] = /^(.*) (\d+)$/.exec(entry) ?? [];
        const operation = documents.operations[key];
        const operationName = operation && `${key} (${operation.name})`;
        if (operationName && status.startsWith('2'))
          successes.set(operationName, (successes.get(operationName) ?? 0) + count);
      }
      return { wrong, successes, answers: counts.reduce((sum, [, count]) => sum + count, 0) };
    },
  };
};
