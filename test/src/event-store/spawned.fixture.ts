import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { eventStoreEntry } from '@popsvc/embedded/event-store';

export interface SpawnEventStoreOptions {
  readonly dataDir: string;
  /** 0: any free port. */
  readonly port: number;
  /** Added to the environment of the child. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface SpawnedEventStore {
  /** Connection string for clients. */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Stops the process gracefully; resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts the node as a child process that ends with its parent; resolves when it listens. */
export const spawnEventStore = async (options: SpawnEventStoreOptions): Promise<SpawnedEventStore> => {
  const child = spawn(process.execPath, ['--enable-source-maps', eventStoreEntry], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...options.env,
      EVENT_STORE_DIR: options.dataDir,
      EVENT_STORE_PORT: String(options.port),
      STOP_WITH_PARENT: '1',
    },
  });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = (complaint + text.toString()).slice(-4096);
  });
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('error', reject);
    void gone.then((code) => reject(new Error(complaint.trim() || `the event store ended with ${String(code)}`)));
  });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    process: child,
    stop: () => {
      child.kill('SIGTERM');
      return gone;
    },
  };
};
