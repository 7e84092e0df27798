import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { isProcessAlive } from '@popsvc/platform/runtime';
import { startWorker, type Worker } from '../harness/worker.ts';
import { startClickHouse, startEventStore, startMigratedPostgres } from './engines.ts';
import { type Engines, type RunningService, type ServiceName, startService } from './service.ts';

const prefix = 'popsvc-bench-';

/**
 * Creates a temporary folder whose name contains the id of this process. Other users may read it, because PostgreSQL may run as another
 * user.
 */
export const createDataFolder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  chmodSync(dir, 0o755);
  return dir;
};

export const removeDataFolder = async (dir: string): Promise<void> => {
  // Stops PostgreSQL first: unlike the other engines, it keeps running when its parent is killed.
  await stopOrphanedServer(join(dir, 'postgres', 'cluster'));
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
};

/** Removes the folders that killed benchmark processes left behind. */
export const removeStaleDataFolders = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isProcessAlive(pid)) await removeDataFolder(join(tmpdir(), name));
  }
};

/** The engines, services and workers of one scenario. Each is a process that starts when it is first needed. */
export interface Rig extends Engines {
  /** Starts a service on the engines of this rig. */
  service(name: ServiceName, env?: Readonly<Record<string, string>>): Promise<RunningService>;
  worker(entry: URL): Worker;
  /** Registers a function that `close` calls before it stops the engines. */
  onClose(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export const openRig = (): Rig => {
  const dir = createDataFolder();
  const closers: (() => Promise<unknown>)[] = [() => removeDataFolder(dir)];
  const keep: Rig['onClose'] = (close) => void closers.push(close);
  const started = new Map<string, Promise<unknown>>();
  const startOnce = <Part extends { stop(): Promise<void> }>(name: string, start: (dir: string) => Promise<Part>) => {
    const part = (started.get(name) as Promise<Part> | undefined) ?? start(join(dir, name));
    if (!started.has(name)) keep(() => part.then((up) => up.stop()).catch(() => undefined));
    started.set(name, part);
    return part;
  };
  const secret = () => randomBytes(24).toString('hex');
  const shared = {
    POPSVC_OPERATOR_TOKEN: secret(),
    POPSVC_ENCRYPTION_KEY: secret(),
    UPLOAD_SIGNING_KEY: secret(),
    DATA_DIR: dir,
  };
  const rig: Rig = {
    onClose: keep,
    eventStore: () => startOnce('event-store', startEventStore),
    clickhouse: () => startOnce('clickhouse', startClickHouse),
    postgres: async () => (await startOnce('postgres', startMigratedPostgres)).url,
    async service(name, env = {}) {
      const running = await startService(name, rig, { ...shared, ...env });
      keep(() => running.stop());
      return running;
    },
    worker(entry) {
      const worker = startWorker(entry);
      keep(() => worker.stop());
      return worker;
    },
    async close() {
      for (let close = closers.pop(); close; close = closers.pop()) await close();
    },
  };
  return rig;
};
