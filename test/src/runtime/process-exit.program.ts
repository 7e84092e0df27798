import { runProcess } from '@popsvc/platform/runtime';
import { createLog } from '@popsvc/platform/telemetry';

/** A service that writes log lines when it stops. */
await runProcess(async (lifecycle) => {
  const log = createLog('process-exit', 'info');
  // The second line waits while the first one is written.
  const writeLines = () => ['the first line', 'the last line'].forEach((line) => log.info(line));
  await lifecycle.start(() => [undefined, writeLines]);
  const timer = setInterval(() => undefined, 1_000);
  await lifecycle.start(() => [timer, () => clearInterval(timer)]);
  return {};
});
