import { createLog, startTracing } from '@popsvc/platform/telemetry';
import type { TestCollector } from '../support/collector.ts';

/**
 * Runs work while this process exports traces to a collector. All of them have arrived when it resolves, unless the collector does not
 * answer within `finalExportTimeoutMs`.
 */
export const sendingTo = async <T>(
  { env }: Pick<TestCollector, 'env'>,
  work: () => Promise<T>,
  log = createLog('test', 'silent'),
  finalExportTimeoutMs = 60_000,
): Promise<T> => {
  // Sets single variables: with a new object as process.env, Node would not notice a later change of the time zone.
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  const stop = await startTracing('popsvc-test', env, log, finalExportTimeoutMs);
  try {
    return await work();
  } finally {
    await stop();
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  }
};
