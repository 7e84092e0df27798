import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const popsvcBin = fileURLToPath(new URL('../../../cli/bin/popsvc.js', import.meta.url));

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
