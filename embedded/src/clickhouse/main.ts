import { once } from 'node:events';
import { onParentExit, onProcessSignal } from '@popsvc/platform/runtime';
import { choosePort } from '../supervisor/ports.ts';
import { createLoginCheck } from './analysts-logins.ts';
import { createAnalystsProxy } from './analysts-proxy.ts';
import { openDurableRun, recordStop } from './durable-run.ts';
import { exitWithoutCleanup, startEngine } from './engine.ts';
import { readClickHouseEnv } from './settings.ts';
import { assertTableFormats } from './table-files.ts';

const printError = (text: string): void => void process.stderr.write(`${text}\n`);
const exitWithError = (error: unknown): never => {
  printError(error instanceof Error ? error.message : String(error));
  process.exit(1);
};

const stopTimeoutMs = 8_000;

const settings = await Promise.resolve(process.env)
  .then(readClickHouseEnv)
  .then((read) => {
    assertTableFormats(read.dir);
    return read;
  })
  .then(async (read) => ({
    ...read,
    port: await choosePort(read.port, 'EMBEDDED_CLICKHOUSE_PORT'),
    analystsPort:
      read.analystsPort === undefined ? undefined : await choosePort(read.analystsPort, 'EMBEDDED_ANALYSTS_PORT'),
  }))
  .catch(exitWithError);

const run = await openDurableRun(settings.dir).catch(exitWithError);
const engine = startEngine({ ...settings, durableSinceMs: run.since });
let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopTimeoutMs);
  // An engine that is still starting cannot be stopped.
  void engine.ready.then(() => engine.stop()).catch(() => undefined);
};
onProcessSignal(['SIGTERM', 'SIGINT'], stop);
// A restarted service may already be waiting for this process's port and folder. SIGKILL loses no acknowledged data.
onParentExit(process.env, () => process.kill(process.pid, 'SIGKILL'));

const recordStopped = (): Promise<void> =>
  recordStop(settings.dir, run).catch((failure: unknown) => printError(String(failure)));
void engine.ended.then(async (error) => {
  if (stopping && !error) await recordStopped();
  if (!stopping) printError(`ClickHouse ended unexpectedly${error && `: ${error}`}`);
  exitWithoutCleanup(stopping ? 0 : 1);
});
const openAnalystsProxy = async (): Promise<void> => {
  const analysts = settings.users.filter(({ role }) => role === 'analyst');
  const proxy = createAnalystsProxy({
    enginePort: settings.port,
    enginePassword: engine.proxyPassword,
    checkLogin: createLoginCheck(analysts, (user) => engine.readPasswordHash(user)),
    killQuery: (queryId) => engine.killQuery(queryId),
  });
  await once(proxy.listen(settings.analystsPort, '127.0.0.1'), 'listening');
};

await engine.ready.then(
  async () => {
    if (settings.analystsPort !== undefined) await openAnalystsProxy().catch(exitWithError);
    const { port, analystsPort } = settings;
    process.stdout.write(`${JSON.stringify({ ready: true, port, analystsPort })}\n`);
  },
  // The handler of `engine.ended` above prints the reason and ends the process.
  () => undefined,
);
