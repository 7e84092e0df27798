import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { whenRunEnds } from '@popsvc/tools/rig';

const main = fileURLToPath(import.meta.resolve('../../../query-api/dist/main.js'));

export interface ReportsProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it wrote so far. */
  output(): string;
  stop(): Promise<void>;
}

/** The reporting service as a process. */
export const startReports = async (env: Readonly<Record<string, string>>): Promise<ReportsProcess> => {
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { PATH: process.env['PATH'], QUERY_API_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (isOver()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  whenRunEnds(stop);
  child.stderr.on('data', (text: Buffer) => (written += text.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      written += `${line}\n`;
      const told = JSON.parse(line) as { ready?: boolean; port?: number };
      if (told.ready === true) resolve(told.port ?? 0);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${String(code)}: ${written}`)));
  });
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, output: () => written, stop };
};
