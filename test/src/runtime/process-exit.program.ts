import { runProcess } from '@popsvc/platform/runtime';
import { createLog } from '@popsvc/platform/telemetry';

/** A service that has something to say when it stops. */
await runProcess(async (life) => {
  const log = createLog('last-words', 'info');
  // The second waits while the first is written.
  const say = () => ['something', 'the last words'].forEach((words) => log.info(words));
  await life.start(() => [undefined, say]);
  const timer = setInterval(() => undefined, 1_000);
  await life.start(() => [timer, () => clearInterval(timer)]);
  return {};
});
