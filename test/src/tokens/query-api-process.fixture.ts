import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { addCleanUp } from '@popsvc/tools/rig';

const main = fileURLToPath(import.meta.resolve('../../../query-api/dist/main.js'));

export interface QueryApiProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it has written to its outputs. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts query-api as a process. */
export const startQueryApiProcess = async (env: Readonly<Record<string, string>>): Promise<QueryApiProcess> => {
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { PATH: process.env['PATH'], QUERY_API_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (hasExited()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  addCleanUp(stop);
  child.stderr.on('data', (text: Buffer) => (written += text.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      written += `${line}\n`;
      const message = JSON.parse(line) as { ready?: boolean; port?: number };
      if (message.ready === true) resolve(message.port ?? 0);
    });
    child.once('exit', (code) => reject(new Error(`query-api exited with ${String(code)}: ${written}`)));
  });
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, output: () => written, stop };
};
