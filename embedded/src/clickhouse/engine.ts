import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DataType, load } from 'ffi-rs';
import {
  BOOT_QUERY_ID,
  buildBootArguments,
  buildServerConfig,
  buildUsersConfig,
  dataPath,
  type EngineSecrets,
  frozenPath,
  LAUNCHER,
  passwordHashSql,
} from './engine-config.ts';
import type { ReadPasswordHash } from './analysts-logins.ts';
import type { ReadSettings } from './settings.ts';

/** A process can start the engine only once. */
interface Engine {
  /** Rejects if the engine stops before it accepts queries. */
  readonly ready: Promise<void>;
  /** Resolves with the engine's error, or an empty string. */
  readonly ended: Promise<string>;
  readonly proxyPassword: string;
  readonly readPasswordHash: ReadPasswordHash;
  /** Resolves when the query has ended, or after `maxKillAttempts` failures, which take about a minute at most. */
  killQuery(queryId: string): Promise<void>;
  stop(): Promise<void>;
}

interface EngineSettings extends ReadSettings {
  readonly durableSinceMs: number;
}

const maxKillAttempts = 12;

export const startEngine = (settings: EngineSettings): Engine => {
  const secrets: EngineSecrets = { launcherPassword: createSecret(), proxyPassword: createSecret() };
  const configFile = prepareDirectory(resolve(settings.dir), settings, secrets);
  const worker = new Worker(new URL('./engine-thread.js', import.meta.url), {
    workerData: buildBootArguments(configFile, settings.port),
    resourceLimits: { stackSizeMb: 16 },
  });
  const ended = new Promise<string>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (error: Error) => resolve(error.message));
  });
  const execute = (sql: string): Promise<boolean> => executeAsLauncher(settings.port, secrets.launcherPassword, sql);
  return {
    ready: waitUntilReady(execute, ended),
    ended,
    proxyPassword: secrets.proxyPassword,
    readPasswordHash: async (user) => {
      const { ok, text } = await queryAsLauncher(settings.port, secrets.launcherPassword, passwordHashSql, { user });
      if (ok) return text.trim() || undefined;
      // Until the service has created or upgraded the table of logins, there is no login to read.
      if (/UNKNOWN_(TABLE|DATABASE|IDENTIFIER)/.test(text)) return undefined;
      throw new Error(text);
    },
    async killQuery(queryId) {
      // SYNC waits until the query has ended. If there is no such query, the statement succeeds at once.
      const isEnded = () => execute(`KILL QUERY WHERE query_id = '${queryId}' SYNC`);
      for (let attempt = 0; attempt < maxKillAttempts && !(await isEnded()); attempt++) await sleep(100);
    },
    stop: async () => {
      await execute(`KILL QUERY WHERE query_id = '${BOOT_QUERY_ID}' ASYNC`);
    },
  };
};

const createSecret = (): string => randomBytes(24).toString('base64url');

const prepareDirectory = (dir: string, settings: EngineSettings, secrets: EngineSecrets): string => {
  const [configFile, usersFile] = [join(dir, 'config.xml'), join(dir, 'users.xml')];
  mkdirSync(join(dir, 'tmp'), { recursive: true, mode: 0o700 });
  // The engine keeps the database `system` in memory. With files from an earlier run, it fails to start with TABLE_ALREADY_EXISTS.
  rmSync(join(dataPath(dir), 'data', 'system'), { recursive: true, force: true });
  rmSync(frozenPath(dir), { recursive: true, force: true });
  const { users, maxMemoryBytes, durableSinceMs } = settings;
  const serverConfig = buildServerConfig({ dir, usersFile, users, maxMemoryBytes, secrets, durableSinceMs });
  writeFileSync(usersFile, buildUsersConfig(users, secrets), { mode: 0o600 });
  writeFileSync(configFile, serverConfig, { mode: 0o600 });
  return configFile;
};

/** Each start generates a new launcher password, so another engine on the same port would reject the statement. */
const executeAsLauncher = async (port: number, password: string, sql: string): Promise<boolean> =>
  queryAsLauncher(port, password, sql).then(
    ({ ok }) => ok,
    () => false,
  );

/** Rejects if the engine does not respond within 5 s. */
const queryAsLauncher = async (
  port: number,
  password: string,
  sql: string,
  params: Readonly<Record<string, string>> = {},
): Promise<{ readonly ok: boolean; readonly text: string }> => {
  const search = Object.entries(params).map(([name, value]) => `param_${name}=${encodeURIComponent(value)}`);
  const response = await fetch(`http://127.0.0.1:${port}/?${search.join('&')}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': LAUNCHER, 'X-ClickHouse-Key': password, connection: 'close' },
    body: sql,
    signal: AbortSignal.timeout(5_000),
  });
  return { ok: response.ok, text: await response.text() };
};

const waitUntilReady = async (execute: (sql: string) => Promise<boolean>, ended: Promise<string>): Promise<void> => {
  let failure: string | undefined;
  void ended.then((error) => (failure = error));
  while (!(await execute('SELECT 1'))) {
    if (failure !== undefined) throw new Error(failure || 'ClickHouse ended before it was ready');
    await sleep(20);
  }
};

/** After the engine has stopped, the cleanup of `process.exit` sometimes crashes or hangs (chdb 3.4). */
export const exitWithoutCleanup = (code: number): never => {
  try {
    load({
      library: 'chdb',
      funcName: '_exit',
      retType: DataType.Void,
      paramsType: [DataType.I32],
      paramsValue: [code],
    });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
  throw new Error(`the ClickHouse process ${process.pid} survived SIGKILL`);
};
