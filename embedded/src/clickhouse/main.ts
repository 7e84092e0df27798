import { once } from 'node:events';
import { onParentExit, onProcessSignal } from '@popsvc/platform/runtime';
import { choosePort } from '../supervisor/index.ts';
import { startEngine } from './engine.ts';
import { createGate } from './gate.ts';
import { leave } from './leave.ts';
import { readClickHouseEnv } from './settings.ts';

/** The ClickHouse process: one engine, one JSON line when it serves, and an end that leaves everything on disk. */
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const refuse = (error: unknown): never => {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
};

/** A stop that takes longer than this is not going to succeed. */
const STOP_MS = 8_000;

const settings = await Promise.resolve(process.env)
  .then(readClickHouseEnv)
  .then(async (read) => ({
    ...read,
    port: await choosePort(read.port, 'EMBEDDED_CLICKHOUSE_PORT'),
    analystsPort:
      read.analystsPort === undefined ? undefined : await choosePort(read.analystsPort, 'EMBEDDED_ANALYSTS_PORT'),
  }))
  .catch(refuse);

const engine = startEngine(settings);
let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_MS);
  // Asked while it still starts, it is not there to hear it: so when it is.
  void engine.ready.then(() => engine.stop()).catch(() => undefined);
};
onProcessSignal(['SIGTERM', 'SIGINT'], stop);
// A parent that died asks for no order, and whoever comes next wants port and folder at once. Nothing acknowledged is lost.
onParentExit(process.env, () => process.kill(process.pid, 'SIGKILL'));

void engine.ended.then((error) => {
  if (!stopping) say(`ClickHouse ended by itself${error && `: ${error}`}`);
  leave(stopping ? 0 : 1);
});
const openGate = async (): Promise<void> => {
  const analysts = new Set(settings.users.flatMap(({ name, role }) => (role === 'analyst' ? [name] : [])));
  const gate = createGate({ enginePort: settings.port, secret: engine.gateSecret, analysts });
  await once(gate.listen(settings.analystsPort, '127.0.0.1'), 'listening');
};

await engine.ready.then(
  async () => {
    if (settings.analystsPort !== undefined) await openGate().catch(refuse);
    const { port, analystsPort } = settings;
    process.stdout.write(`${JSON.stringify({ ready: true, port, analystsPort })}\n`);
  },
  // Why is said by `ended`, above, which also ends the process.
  () => undefined,
);
