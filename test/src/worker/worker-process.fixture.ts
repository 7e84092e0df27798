import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { operatorToken } from '../command-api/command-api-process.fixture.ts';
import type { Workshop } from './worker.fixture.ts';

const entry = fileURLToPath(new URL('../../../command-api/dist/worker-main.js', import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  readonly baseUrl: string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has exited. */
  kill9(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the bulk worker as a process of its own, on the workshop's engines. */
export const startWorker = async (
  { node, databaseUrl, dataDir }: Pick<Workshop, 'node' | 'databaseUrl' | 'dataDir'>,
  env: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> => {
  const part: SupervisedProcess = await startSupervisedProcess({
    name: 'worker',
    run: { command: [process.execPath, '--enable-source-maps', '--max-old-space-size=256', entry] },
    env: {
      WORKER_PORT: '0',
      EVENTSTORE_URL: node.url,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      POPSVC_OPERATOR_TOKEN: operatorToken,
      LOG_LEVEL: 'fatal',
      ...env,
    },
    ready: 'json-line',
    restart: false,
  });
  const pid = part.pid()!;
  return {
    pid,
    baseUrl: `http://127.0.0.1:${String(part.readyLine()?.['port'])}`,
    signal: (signal) => process.kill(pid, signal),
    async kill9() {
      process.kill(pid, 'SIGKILL');
      await part.ended;
    },
    stop: () => part.stop(),
  };
};
