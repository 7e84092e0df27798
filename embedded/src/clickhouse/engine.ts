import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { bootArguments, BOOT_QUERY_ID } from './boot.ts';
import { configFile, dataPath } from './config-file.ts';
import type { ReadSettings } from './settings.ts';
import { doors } from './doors.ts';
import { LAUNCHER, usersFile } from './users-file.ts';

/** The engine in this process. It can be started once. */
export interface Engine {
  /** Settles when the listener answers; refused when the engine ended first. */
  readonly ready: Promise<void>;
  /** The engine's error, or empty; settles when it has ended and everything is on disk. */
  readonly ended: Promise<string>;
  /** What a request has to bring to be let in for an analyst; new at each start, and known to the gate alone. */
  readonly gateSecret: string;
  /** Asks the engine to end; `ended` tells when it has. */
  stop(): Promise<void>;
}

export const startEngine = (settings: ReadSettings): Engine => {
  const [password, gateSecret] = [makeSecret(), makeSecret()];
  const config = prepareDirectory(resolve(settings.dir), settings, { launcherPassword: password, gateSecret });
  const worker = new Worker(new URL('./engine-thread.js', import.meta.url), {
    workerData: bootArguments(config, settings.port),
    resourceLimits: { stackSizeMb: 16 },
  });
  const ended = new Promise<string>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (error: Error) => resolve(error.message));
  });
  const ask = (sql: string): Promise<boolean> => askAs(settings.port, password, sql);
  return {
    ready: becomeReady(ask, ended),
    ended,
    gateSecret,
    stop: async () => {
      await ask(`KILL QUERY WHERE query_id = '${BOOT_QUERY_ID}' ASYNC`);
    },
  };
};

const makeSecret = (): string => randomBytes(24).toString('base64url');

interface BootSecrets {
  readonly launcherPassword: string;
  readonly gateSecret: string;
}

const prepareDirectory = (dir: string, settings: ReadSettings, secrets: BootSecrets): string => {
  const [config, users] = [join(dir, 'config.xml'), join(dir, 'users.xml')];
  mkdirSync(join(dir, 'tmp'), { recursive: true, mode: 0o700 });
  // The engine keeps `system` in memory and stumbles over what an earlier run left of it on disk.
  rmSync(join(dataPath(dir), 'data', 'system'), { recursive: true, force: true });
  writeFileSync(users, usersFile(settings.users, secrets.launcherPassword), { mode: 0o600 });
  writeFileSync(config, configFile(dir, users, settings.maxMemoryBytes, doors(settings.users, secrets)), {
    mode: 0o600,
  });
  return config;
};

/** True when the server at the port took the launcher's password, which is new at each start: so it is this one. */
const askAs = async (port: number, password: string, sql: string): Promise<boolean> => {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': LAUNCHER, 'X-ClickHouse-Key': password, connection: 'close' },
    body: sql,
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
};

const becomeReady = async (ask: (sql: string) => Promise<boolean>, ended: Promise<string>): Promise<void> => {
  let failure: string | undefined;
  void ended.then((error) => (failure = error));
  while (!(await ask('SELECT 1'))) {
    if (failure !== undefined) throw new Error(failure || 'the engine ended at once');
    await sleep(20);
  }
};
