import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isProcessAlive } from '@popsvc/platform/runtime';
import { temporaryFolder, addCleanUp } from './run-cleanup.ts';

/** Patterns that match API keys, client secrets and access tokens. The dots of a token may be percent-encoded. */
const secretPatterns = [
  /[a-z][a-z0-9]{1,31}_sk_[0-9A-Za-z]{36}/g,
  /popsvc_cs_[\w-]{43}/g,
  /eyJ[\w-]{10,}(?:\.|%2e)eyJ[\w-]{10,}(?:\.|%2e)[\w-]{10,}/gi,
];

/** Finds strings that look like credentials of the service. Returns only the first 16 characters of each. */
export const findSecrets = (text: string): readonly string[] =>
  secretPatterns.flatMap((pattern) => text.match(pattern) ?? []).map((secret) => `${secret.slice(0, 16)}…`);

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

/** Content of `endpoints.json`: addresses in use, or `external` for an engine that is not embedded. */
interface Endpoints {
  readonly query_base_url: string;
  readonly ingest_base_url: string;
  readonly ops_base_url: string;
  readonly worker_base_url: string;
  readonly event_store: string;
  readonly clickhouse: string;
  readonly analysts: string;
  readonly postgres: string;
}

/**
 * A running installation of popsvc, started by the program that `npm start` runs. It consists of all APIs, the projectors, the
 * worker and the embedded engines, each in its own process.
 */
export interface Service {
  readonly dataDir: string;
  /** Credentials of the demo network, which an installation with embedded engines registers at its first start. */
  readonly credentials: DemoCredentials;
  readonly endpoints: Endpoints;
  /** Standard output until the service was ready. */
  readonly startupOutput: string;
  readonly pid: number;
  /** Sends SIGINT and resolves with the exit code. Throws if any process of the service has logged a secret since the start. */
  stop(): Promise<number | null>;
  /** Kills all processes of the service at once with SIGKILL. */
  kill9(): Promise<void>;
  /** Kills only the process that supervises the others, with SIGKILL. */
  killSupervisor(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../../embedded/dist/main.js', import.meta.url));

const freePorts = {
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

/** Returns the process ids of a process and all its descendants. */
export const readProcessTree = (root: number): number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), parentOf(pid)] as const);
  const found = [root];
  for (let index = 0; index < found.length; index += 1)
    found.push(...parents.filter(([, parent]) => parent === found[index]).map(([pid]) => pid));
  return found;
};

/** Returns the command line of a process, with its arguments separated by spaces; empty once the process has ended. */
export const readCommandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

interface Launched {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves with the exit code when the service has ended; null if it was killed or if its parent does not reap it. */
  readonly ended: Promise<number | null>;
}

/** Runs a command below a shell that prints the id of the process and becomes `sleep`, which never reaps it. */
const withoutReaping = ['sh', '-c', '"$0" "$@" & echo $! >&3; exec sleep 1000000'];

const launch = async (env: NodeJS.ProcessEnv, isReaped: boolean): Promise<Launched> => {
  const command = [process.execPath, '--enable-source-maps', entry];
  const [program, ...args] = isReaped ? command : [...withoutReaping, ...command];
  const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  if (isReaped) return { child, pid: child.pid!, ended: once(child, 'exit').then(([code]) => code as number | null) };
  const [line] = (await once(child.stdio[3]!, 'data')) as [Buffer];
  const pid = Number(line.toString());
  const waitForEnd = async (): Promise<null> => {
    while (isProcessAlive(pid)) await sleep(20);
    return null;
  };
  return { child, pid, ended: waitForEnd() };
};

const waitUntilReady = async ({ child, ended }: Launched): Promise<string> => {
  let [out, err] = ['', ''];
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  const ready = new Promise<string>((resolve) => {
    child.stdout?.on('data', (text: Buffer) => {
      out += text.toString();
      if (out.includes('popsvc ready') && out.endsWith('\n')) resolve(out);
    });
  });
  const exited = ended.then((code) => {
    throw new Error(`the service exited with code ${String(code)} before it was ready:\n${err}`);
  });
  return Promise.race([ready, exited]);
};

const killAll = (pids: readonly number[]): void => {
  // Sends SIGSTOP to all processes first, so none of them restarts another one or cleans up while the others are killed.
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
    for (const pid of pids)
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended already.
      }
};

interface ServiceSettings {
  /** Default: a new temporary folder. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string) => void;
  /** With false, the service runs below a parent that does not reap it: once killed, it stays a zombie. Default: true. */
  readonly isReaped?: boolean;
}

/** Starts the whole service on free ports and waits until it is ready. */
export const startService = async (given: ServiceSettings = {}): Promise<Service> => {
  const dataDir = given.dataDir ?? (await temporaryFolder('service'));
  const launched = await launch(
    { ...process.env, ...freePorts, ...given.env, DATA_DIR: dataDir },
    given.isReaped ?? true,
  );
  const { child, pid, ended } = launched;
  /** Resolves when everything that the service wrote to its log has been read. */
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const loggedSecrets = new Set<string>();
  createInterface(child.stderr!).on('line', (line) => {
    for (const secret of findSecrets(line)) loggedSecrets.add(secret);
    given.onLog?.(line);
  });
  const kill = async (pids: readonly number[]) => {
    killAll(pids);
    await ended;
    await sleep(50);
  };
  addCleanUp(async () => {
    if (!hasEnded) await kill(readProcessTree(pid));
    child.kill('SIGKILL');
  });
  const startupOutput = await waitUntilReady(launched);
  const readJson = (name: string): unknown => JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  return {
    dataDir,
    get credentials() {
      return readJson('demo-credentials.json') as DemoCredentials;
    },
    endpoints: readJson('endpoints.json') as Endpoints,
    startupOutput,
    pid,
    async stop() {
      if (hasEnded) return ended;
      process.kill(pid, 'SIGINT');
      const code = await ended;
      child.kill('SIGKILL');
      await closed;
      if (loggedSecrets.size > 0)
        throw new Error(`${loggedSecrets.size} secrets were logged; they begin with: ${[...loggedSecrets].join(', ')}`);
      return code;
    },
    kill9: () => kill(readProcessTree(pid)),
    killSupervisor: () => kill([pid]),
  };
};
