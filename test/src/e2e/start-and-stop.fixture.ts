import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTestPartner, type DemoCredentials, type Service } from '@popsvc/tools/rig';
import { expect } from 'chai';

const entry = fileURLToPath(new URL('../../../embedded/dist/main.js', import.meta.url));
/** The minute of the plays and detections. */
const overlapMs = Date.parse('2026-09-01T12:00:00Z');
const instant = (ms: number) => new Date(overlapMs + ms).toISOString();

/**
 * Sends plays and detections of one device and minute, `perRequest` of each in a request. Every play overlaps every detection, so the
 * batch that derives them handles up to the square of `requests` × `perRequest` pairs.
 */
export const pushOverlapping = async (
  credentials: DemoCredentials,
  requests: number,
  perRequest: number,
): Promise<void> => {
  const { push } = createTestPartner(credentials);
  for (let request = 0; request < requests; request += 1) {
    const ids = Array.from({ length: perRequest }, (_, at) => `o-${request}-${at}`);
    const events = ids.map((eventId) => ({
      eventId,
      screenId: 'demo-screen-1',
      campaignId: 'DEMO-1',
      creativeId: 'DEMO-CR-1',
      playedAt: instant(0),
      durationMs: 60_000,
      startReason: 'scheduled',
    }));
    const detections = ids.map((detectionId, at) => ({
      detectionId,
      deviceId: 31,
      feederId: 41,
      watcherId: at,
      startedAt: instant(at),
      endedAt: instant(60_000 - at),
      watches: [],
    }));
    for (const [path, body] of [
      ['/pop/events', { events }],
      ['/audience/detections', { detections }],
    ] as const)
      expect((await push(path, body)).status, path).to.equal(202);
  }
};

/** Returns the variables that start the servers on the ports of a service. */
export const servicePortsOf = ({ endpoints }: Service): Readonly<Record<string, string>> => ({
  QUERY_API_PORT: new URL(endpoints.query_base_url).port,
  COMMAND_API_PORT: new URL(endpoints.ingest_base_url).port,
  OPS_PORT: new URL(endpoints.ops_base_url).port,
});

/** Starts the supervisor of the service, by default on any free ports. */
const spawnSupervisor = (dataDir: string, env: Readonly<Record<string, string>> = {}) => {
  const ports = ['QUERY_API_PORT', 'COMMAND_API_PORT', 'OPS_PORT', 'EMBEDDED_EVENTSTORE_PORT'];
  return spawn(process.execPath, [entry], {
    env: {
      ...process.env,
      ...Object.fromEntries(
        [...ports, 'EMBEDDED_CLICKHOUSE_PORT', 'EMBEDDED_ANALYSTS_PORT', 'EMBEDDED_POSTGRES_PORT'].map((p) => [p, '0']),
      ),
      ...env,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/**
 * Starts the service, closes its standard output and standard error when the engines run, and sends SIGINT, as Ctrl-C does to
 * `npm start 2>&1 | tee FILE`. Returns the exit code.
 */
export const startAndCloseOutput = async (dataDir: string): Promise<unknown> => {
  const child = spawnSupervisor(dataDir);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      if (output.includes('Starting the services.')) resolve();
    });
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)));
  });
  child.stdout.destroy();
  child.stderr.destroy();
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [unknown];
  return code;
};

/** Starts the service and returns what it wrote to standard error when it ended. `stopAfterMs`: when it receives SIGTERM. */
export const startAndWait = async (
  dataDir: string,
  { env = {}, stopAfterMs }: { readonly env?: Readonly<Record<string, string>>; readonly stopAfterMs?: number } = {},
): Promise<{ error: string; code: unknown }> => {
  const child = spawnSupervisor(dataDir, env);
  child.stdout.resume();
  let error = '';
  child.stderr.on('data', (bytes: Buffer) => (error += bytes.toString()));
  if (stopAfterMs !== undefined) setTimeout(() => child.kill('SIGTERM'), stopAfterMs);
  const [code] = (await once(child, 'close')) as [unknown];
  return { error, code };
};

/** Returns the command lines of the processes that use a data folder: its path is in their command line or environment. */
export const findProcessesOf = (dataDir: string): readonly string[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const [command = '', variables = ''] = ['cmdline', 'environ'].map((file) =>
        readFileSync(`/proc/${Number(pid)}/${file}`, 'latin1').replaceAll('\0', ' '),
      );
      // The parents that do not reap have the environment of the service.
      return `${command} ${variables}`.includes(dataDir) && !command.startsWith('sleep ') ? [command] : [];
    } catch {
      // Not a process, or it has ended.
      return [];
    }
  });
