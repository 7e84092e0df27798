import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary-folder.ts';
import { whenRunEnds } from './run-end.ts';
import { secretsIn } from './secrets-in.ts';

export interface DemoCredentials {
  readonly query_base_url: string;
  readonly ingest_base_url: string;
  readonly token_url: string;
  readonly ops_base_url: string;
  readonly operator_token: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly network_ids: readonly number[];
}

/** Addresses in use; of an engine that is not embedded only that it is `external`. */
export interface Endpoints {
  readonly query_base_url: string;
  readonly ingest_base_url: string;
  readonly ops_base_url: string;
  readonly worker_base_url: string;
  readonly event_store: string;
  readonly clickhouse: string;
  readonly analysts: string;
  readonly postgres: string;
}

/** `npm start` without npm: the whole service on embedded engines, in processes of its own. */
export interface Service {
  readonly dataDir: string;
  /** Of the demo network, which a service on embedded engines has. */
  readonly credentials: DemoCredentials;
  readonly endpoints: Endpoints;
  /** What it printed. */
  readonly startupOutput: string;
  readonly pid: number;
  /** Ctrl-C; resolves with the exit code. Throws when a secret was written to the log, by any part, ever. */
  stop(): Promise<number | null>;
  /** Every process of it at once, without warning. */
  kill9(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../../embedded/dist/main.js', import.meta.url));

const anyPort = {
  QUERY_API_PORT: '0',
  COMMAND_API_PORT: '0',
  OPS_PORT: '0',
  EMBEDDED_EVENTSTORE_PORT: '0',
  EMBEDDED_CLICKHOUSE_PORT: '0',
  EMBEDDED_ANALYSTS_PORT: '0',
  EMBEDDED_POSTGRES_PORT: '0',
};

const parentOf = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** A process and all that came from it. */
export const processTree = (root: number): number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), parentOf(pid)] as const);
  const found = [root];
  for (let index = 0; index < found.length; index += 1)
    found.push(...parents.filter(([, parent]) => parent === found[index]).map(([pid]) => pid));
  return found;
};

const waitUntilReady = async (child: ChildProcess): Promise<string> => {
  let [out, err] = ['', ''];
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  const ready = new Promise<string>((resolve) => {
    child.stdout?.on('data', (text: Buffer) => {
      out += text.toString();
      if (out.includes('popsvc ready') && out.endsWith('\n')) resolve(out);
    });
  });
  const dead = once(child, 'exit').then(([code]) => {
    throw new Error(`the service ended with ${String(code)} before it was ready:\n${err}`);
  });
  return Promise.race([ready, dead]);
};

const killProcessTree = async (child: ChildProcess): Promise<void> => {
  const pids = processTree(child.pid!);
  // Stopped first, so that none starts or tidies while the others die.
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
    for (const pid of pids)
      try {
        process.kill(pid, signal);
      } catch {
        // Gone already.
      }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await sleep(50);
};

export const startService = async (
  given: { dataDir?: string; env?: Record<string, string>; onLog?: (line: string) => void } = {},
): Promise<Service> => {
  const dataDir = given.dataDir ?? (await temporaryFolder('service'));
  const child = spawn(process.execPath, ['--enable-source-maps', entry], {
    env: { ...process.env, ...anyPort, ...given.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const leaked = new Set<string>();
  createInterface(child.stderr).on('line', (line) => {
    for (const secret of secretsIn(line)) leaked.add(secret);
    given.onLog?.(line);
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  whenRunEnds(async () => {
    if (!isOver()) await killProcessTree(child);
  });
  const greeting = await waitUntilReady(child);
  const file = (name: string): unknown => JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  return {
    dataDir,
    get credentials() {
      return file('demo-credentials.json') as DemoCredentials;
    },
    endpoints: file('endpoints.json') as Endpoints,
    startupOutput: greeting,
    pid: child.pid!,
    async stop() {
      if (isOver()) return child.exitCode;
      child.kill('SIGINT');
      const [code] = (await once(child, 'close')) as [number | null];
      if (leaked.size > 0) throw new Error(`secrets were logged: ${[...leaked].join(', ')}`);
      return code;
    },
    kill9: () => killProcessTree(child),
  };
};
