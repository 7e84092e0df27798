import type { Log } from '@popsvc/platform/telemetry';
import type { RunBuildWorkers } from './build.ts';
import { runProcessTask } from './one-life.ts';

/** So often a process may end by itself before the work is given up; what it had begun others go on with. */
const mostDeaths = 5;

export interface BuildProcesses {
  readonly count: number;
  readonly log: Log;
  /** The environment its processes read their configuration from. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Processes of their own, which live as long as there is work and give way to everybody else on the machine: the event loop of
 * who asks for it stays free.
 */
export const buildInProcesses =
  (processes: BuildProcesses): RunBuildWorkers =>
  async (building, signal) => {
    const life = new AbortController();
    const ending = AbortSignal.any([signal, life.signal]);
    const isOver = () => ending.aborted;
    const { projection, generation } = building;
    const asked = { projection: projection.name, generation };
    const each = async () => {
      for (let deaths = 0; !isOver(); deaths += 1) {
        if (await runProcessTask({ request: asked, projection: projection.name, env: processes.env }, ending)) return;
        if (isOver()) return;
        processes.log.warn({ projection: projection.name, deaths }, 'a process that built ended by itself');
        if (deaths >= mostDeaths) throw new Error('processes that build end by themselves, again and again');
      }
    };
    const hands = Array.from({ length: processes.count }, async () => {
      try {
        await each();
      } catch (error) {
        life.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(hands);
    signal.throwIfAborted();
    await Promise.all(hands);
  };
