import { createLog, startTracing } from '@popsvc/platform/telemetry';
import type { TestCollector } from '../support/collector.ts';

/** Does the work while this process sends its traces to a collector; all of them are there when it is done. */
export const sendingTo = async <T>(
  { env }: Pick<TestCollector, 'env'>,
  work: () => Promise<T>,
  log = createLog('test', 'silent'),
): Promise<T> => {
  // Variable by variable: a new object in its place would no longer tell Node of a time zone that is set later.
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  const stop = await startTracing('popsvc-test', env, log);
  try {
    return await work();
  } finally {
    await stop();
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  }
};
