import { ConfigError } from '@popsvc/platform/config';
import { onProcessSignal } from '@popsvc/platform/runtime';
import { DataFormatError } from './start/data-format.ts';
import { FolderInUseError } from './start/folder-lock.ts';
import { createProcessGroup } from './start/process-group.ts';
import { start } from './start/start.ts';
import { PortInUseError } from './supervisor/ports.ts';
import { ProcessStartError } from './supervisor/supervised-process.ts';

/** The processes that `npm start` runs on this machine: the embedded engines, the projectors, the APIs and the worker. */
const processes = createProcessGroup((text) => process.stderr.write(text));
const stopping = new AbortController();

const stop = async (exitCode: number) => {
  if (stopping.signal.aborted) return;
  stopping.abort();
  await processes.stop();
  process.exit(exitCode);
};

/** Returns an error's message if the operator can fix the error, otherwise its stack. */
const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isForOperators = [ConfigError, PortInUseError, DataFormatError, FolderInUseError, ProcessStartError].some(
    (known) => error instanceof known,
  );
  return isForOperators ? error.message : (error.stack ?? error.message);
};

// The event store's process inherits the variable.
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
  process.stdout.write(await start(process.env, processes));
} catch (error) {
  // A start that is interrupted by a stop fails, too.
  if (!stopping.signal.aborted) process.stderr.write(`popsvc could not start: ${describeError(error)}\n`);
  await stop(1);
}
