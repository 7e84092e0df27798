import { onParentGone, onSignal } from '@popsvc/platform/runtime';
import { choosePort } from '../supervise/index.ts';
import { startEngine } from './engine.ts';
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
  .then(async (read) => ({ ...read, port: await choosePort(read.port, 'EMBEDDED_CLICKHOUSE_PORT') }))
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
onSignal(['SIGTERM', 'SIGINT'], stop);
// A parent that died asks for no order, and whoever comes next wants port and folder at once. Nothing acknowledged is lost.
onParentGone(process.env, () => process.kill(process.pid, 'SIGKILL'));

void engine.ended.then((error) => {
  if (!stopping) say(`ClickHouse ended by itself${error && `: ${error}`}`);
  leave(stopping ? 0 : 1);
});
await engine.ready.then(
  () => process.stdout.write(`${JSON.stringify({ ready: true, port: settings.port })}\n`),
  // Why is said by `ended`, above, which also ends the process.
  () => undefined,
);
