import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operatorToken, type TestOps } from '../ops/ops.fixture.ts';
import { room } from '../support/engines.ts';

export const popsvcBin = fileURLToPath(new URL('../../../operator/bin/popsvc.js', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Popsvc = (...args: readonly string[]) => Promise<Ran>;

/** The command line as a process of its own that knows of no service but what `env` says. */
export const popsvcWith =
  (env: Readonly<Record<string, string>>, cwd?: string): Popsvc =>
  (...args) =>
    new Promise((resolve) => {
      const bare = { PATH: process.env['PATH'], DATA_DIR: '/nowhere', ...env };
      execFile(process.execPath, [popsvcBin, ...args], { env: bare, maxBuffer: 1e8, cwd }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      );
    });

export const popsvcOf = ({ baseUrl }: TestOps): Popsvc =>
  popsvcWith({ POPSVC_OPS_URL: baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken });

/** A file of the given content that lasts as long as the run. */
export const fileOf = async (name: string, text: string | Buffer): Promise<string> => {
  const path = join(await room('operator'), name);
  await writeFile(path, text);
  return path;
};
