import { describeFailure, onProcessSignal } from '@popsvc/platform/runtime';
import { createProcessGroup } from './start/process-group.ts';
import { start } from './start/start.ts';

const processes = createProcessGroup((text) => process.stderr.write(text));
const stopping = new AbortController();

const stop = async (exitCode: number) => {
  if (stopping.signal.aborted) return;
  stopping.abort();
  await processes.stop();
  process.exit(exitCode);
};

// Ctrl-C in `npm start | tee` ends tee, too. The next write would then end this process before it has stopped PostgreSQL, which outlives
// its parent.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

if (process.argv.includes('--read-only')) process.env['EVENT_STORE_READ_ONLY'] = '1';

onProcessSignal(['SIGINT', 'SIGTERM'], () => {
  process.stderr.write('popsvc is stopping\n');
  void stop(0);
});
void processes.failed.then((reason) => {
  process.stderr.write(`popsvc is stopping: ${reason}\n`);
  return stop(1);
});

try {
  const report = (step: string) => process.stdout.write(`${step}\n`);
  process.stdout.write(await start(process.env, processes, report));
} catch (error) {
  // A stop during the start makes the start fail.
  if (!stopping.signal.aborted) process.stderr.write(`popsvc could not start: ${describeFailure(error)}\n`);
  await stop(1);
}
