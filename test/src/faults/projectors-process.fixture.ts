import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { operatorToken } from '../support/test-services.ts';
import { addCleanUp } from '@popsvc/tools/rig';
import type { KillableStores } from './stores.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const program = fileURLToPath(new URL('../../../projectors/dist/main.js', import.meta.url));

/** The projectors as a separate process. */
export interface ProjectorsProcess {
  readonly opsUrl: string;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  isOver(): boolean;
  /** Its log lines so far. */
  readonly lines: readonly string[];
  signal(signal: NodeJS.Signals): void;
  kill9(): Promise<void>;
  stop(): Promise<void>;
  /** Resident memory of the process, MB; the most there was. */
  peakMb(): number;
}

/** The process ended before it was ready. */
export class EndedEarly extends Error {}

export const startProjectors = async (
  stores: KillableStores,
  env: Readonly<Record<string, string>> = {},
): Promise<ProjectorsProcess> => {
  const lines: string[] = [];
  let over = false;
  const part: SupervisedProcess = await startSupervisedProcess({
    name: 'projectors',
    run: { entry: program },
    env: {
      OPS_PORT: '0',
      EVENTSTORE_URL: stores.eventStore.url,
      CLICKHOUSE_URL: stores.clickhouse.url,
      CLICKHOUSE_USER: stores.writer.username,
      CLICKHOUSE_PASSWORD: stores.writer.password,
      DATABASE_URL: stores.postgres.url,
      POPSVC_OPERATOR_TOKEN: operatorToken,
      POPSVC_ENCRYPTION_KEY: encryptionKey,
      POPSVC_INSTANCE: 'one',
      LOG_LEVEL: 'info',
      ...env,
    },
    ready: 'json-line',
    restart: false,
    stopTimeoutMs: 25_000,
    onLine: ({ text }) => void lines.push(text),
  }).catch((error: unknown) => {
    throw new EndedEarly(error instanceof Error ? error.message : String(error));
  });
  const pid = part.pid()!;
  addCleanUp(() => part.stop());
  const ended = part.ended.then(() => (over = true));
  const signal = (name: NodeJS.Signals) => {
    if (!over) process.kill(pid, name);
  };
  return {
    opsUrl: `http://127.0.0.1:${String(part.readyLine()?.['port'])}`,
    pid,
    ended,
    lines,
    isOver: () => over,
    signal,
    async kill9() {
      signal('SIGKILL');
      await ended;
    },
    stop: () => part.stop(),
    peakMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
  };
};
