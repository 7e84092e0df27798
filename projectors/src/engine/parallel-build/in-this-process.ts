import type { BuildDependencies, RunBuildWorkers } from './build.ts';
import { workOnParts } from './work.ts';

/** So many parts at a time. A part is read while it is written, so that one keeps a process busy. */
export const buildInThisProcess =
  (parts: BuildDependencies, atATime = 1): RunBuildWorkers =>
  async (building, signal) => {
    // The first that fails ends the others.
    const life = new AbortController();
    const ending = AbortSignal.any([signal, life.signal]);
    const each = async () => {
      try {
        await workOnParts(parts, building, ending);
      } catch (error) {
        life.abort(error);
        throw error;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: atATime }, each));
    signal.throwIfAborted();
    if (life.signal.aborted) throw life.signal.reason as Error;
    for (const end of ended) if (end.status === 'rejected') throw end.reason as Error;
  };
