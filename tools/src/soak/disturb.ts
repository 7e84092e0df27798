import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, startService } from '../rig/service-process.ts';
import type { PlannedFault } from './choose-faults.ts';
import { partsOf } from './processes.ts';
import type { Weather } from './weather.ts';

export interface DoneFault {
  readonly what: PlannedFault['what'];
  /** Until all of it answered that it is ready. */
  readonly wholeAfterMs: number;
}

const patienceMs = 90_000;

const isReady = async (url: string): Promise<boolean> => {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.ok ?? false;
};

/** Every part runs and says that it has what it needs. */
export const isWhole = async ({ pid, endpoints }: Service, parts: number): Promise<boolean> => {
  const { query_base_url, ingest_base_url, ops_base_url, worker_base_url } = endpoints;
  const asked = [query_base_url, ingest_base_url, ops_base_url, worker_base_url].map(isReady);
  return (await Promise.all(asked)).every(Boolean) && partsOf(pid).size === parts;
};

/** Kills what is planned when its time comes, and waits until all is whole again. */
export const disturbing = (system: { service: Service; readonly onLog: (line: string) => void }, weather: Weather) => {
  const all = partsOf(system.service.pid).size;
  const killEverything = async () => {
    const { dataDir } = system.service;
    await system.service.kill9();
    system.service = await startService({ dataDir, onLog: system.onLog });
  };
  const killPart = (what: Exclude<PlannedFault['what'], 'everything'>) => {
    const pid = partsOf(system.service.pid).get(what);
    if (pid === undefined) throw new Error(`${what} does not run`);
    process.kill(pid, 'SIGKILL');
  };
  return async ({ what }: PlannedFault): Promise<DoneFault> => {
    const began = performance.now();
    await weather.roughly(async () => {
      if (what === 'everything') await killEverything();
      else killPart(what);
      // Its supervisor hears of it in a moment.
      await sleep(100);
      while (!(await isWhole(system.service, all))) {
        if (performance.now() - began > patienceMs)
          throw new Error(`not whole ${patienceMs} ms after ${what} was killed`);
        await sleep(250);
      }
    });
    return { what, wholeAfterMs: performance.now() - began };
  };
};
