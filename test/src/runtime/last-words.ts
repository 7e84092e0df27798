import { createLog, runProcess } from '@popsvc/platform/runtime';

/** A service that has something to say when it stops. */
await runProcess(async (life) => {
  const log = createLog('last-words', 'info');
  await life.start(() => [undefined, () => log.info('the last words')]);
  const timer = setInterval(() => undefined, 1_000);
  await life.start(() => [timer, () => clearInterval(timer)]);
  return {};
});
