import type { CountLog } from './count-log.ts';
import type { BuildProcesses } from './in-processes.ts';
import { runProcessTask } from './one-life.ts';

/** Counts in a process of its own, which gives way to everybody else: the event loop of who asks for it stays free. */
export const countLogInProcess =
  ({ env }: Pick<BuildProcesses, 'env'>): CountLog =>
  async ({ prefixes, upTo }, onCounted, signal) => {
    const asked = { prefixes, upTo: upTo.toString() };
    const outcome = await runProcessTask({ request: asked, projection: 'a count', env, onCounted }, signal);
    signal.throwIfAborted();
    if (!outcome?.counts) throw new Error('the process that counted events ended by itself');
    return outcome.counts;
  };
