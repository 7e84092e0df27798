import { createLog } from '@popsvc/platform/runtime';
import { startTracing } from '@popsvc/platform/tracing';
import type { Collector } from '../support/collector.ts';

/** Does the work while this process sends its traces to a collector; all of them are there when it is done. */
export const sendingTo = async <T>(
  { env }: Pick<Collector, 'env'>,
  work: () => Promise<T>,
  log = createLog('test', 'silent'),
): Promise<T> => {
  const before = { ...process.env };
  Object.assign(process.env, env);
  const stop = await startTracing('popsvc-test', env, log);
  try {
    return await work();
  } finally {
    await stop();
    process.env = before;
  }
};
