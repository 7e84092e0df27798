import { ConfigError } from '@popsvc/platform/config';
import { onProcessSignal } from '@popsvc/platform/runtime';
import { createProcessGroup } from './start/house.ts';
import { start } from './start/start.ts';
import { PortInUseError } from './supervisor/index.ts';

const house = createProcessGroup((text) => process.stderr.write(text));
let stopping = false;

const leave = async (code: number) => {
  if (stopping) return;
  stopping = true;
  await house.stop();
  process.exit(code);
};

const complain = (error: unknown) => {
  const isPlain = error instanceof ConfigError || error instanceof PortInUseError;
  const text = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`popsvc could not start: ${text}\n`);
};

onProcessSignal(['SIGINT', 'SIGTERM'], () => {
  process.stderr.write('popsvc stops\n');
  void leave(0);
});
void house.failed.then((reason) => {
  process.stderr.write(`popsvc stops: ${reason}\n`);
  return leave(1);
});

try {
  process.stdout.write(await start(process.env, house));
} catch (error) {
  complain(error);
  await leave(1);
}
