import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../rig/random.ts';
import { type Service, startService } from '../rig/service-process.ts';
import { findProcesses, type ProcessName, processNames } from './processes.ts';

/** A planned kill of one process, or of all processes at once. */
interface PlannedFault {
  readonly atMs: number;
  readonly what: ProcessName | 'everything';
}

const minuteMs = 60_000;
const [shortestMs, longestMs] = [15_000, 40_000];
/**
 * Times of the first and the last kill, as shares of the run. The time without kills at the end is long enough to evaluate the
 * resource use of each process.
 */
const [firstShare, lastShare] = [0.08, 0.75];
/** Every ninth kill ends all processes at once. */
const everythingEvery = 9;

/**
 * Plans the kills of a run. Kills of single processes are planned in rounds: each round kills every process once, in random order.
 * Times are relative to the start of the run.
 */
export const planFaults = (seed: number, minutes: number): readonly PlannedFault[] => {
  const { fraction, below } = createRandom(seed);
  const planned: PlannedFault[] = [];
  let round: ProcessName[] = [];
  const [from, to] = [minutes * minuteMs * firstShare, minutes * minuteMs * lastShare];
  for (let atMs = from; atMs <= to; atMs += shortestMs + fraction() * (longestMs - shortestMs)) {
    const isEverything = planned.length % everythingEvery === 3;
    if (round.length === 0) round = [...processNames];
    planned.push({
      atMs: Math.round(atMs),
      what: isEverything ? 'everything' : round.splice(below(round.length), 1)[0]!,
    });
  }
  return planned;
};

/** Tracks when failed requests are expected because processes were killed. */
export interface FaultWindow {
  /** Returns true from a kill until 15 s after the recovery. */
  readonly isOpen: () => boolean;
  /** Returns whether the window was open at any time since `atMs`. */
  readonly wasOpenSince: (atMs: number) => boolean;
  /** Opens the window while `work` runs. */
  readonly openDuring: (work: () => Promise<void>) => Promise<void>;
}

/** Time that circuit breakers, connection pools and clients may need to recover after all processes are ready. */
const recoveryDelayMs = 15_000;

export const createFaultWindow = (now: () => number = Date.now): FaultWindow => {
  let working = 0;
  let endedMs = -Infinity;
  const isOpen = () => working > 0 || now() - endedMs < recoveryDelayMs;
  return {
    isOpen,
    wasOpenSince: (atMs) => isOpen() || atMs - endedMs < recoveryDelayMs,
    async openDuring(work) {
      working += 1;
      try {
        await work();
      } finally {
        working -= 1;
        endedMs = now();
      }
    },
  };
};

export interface DoneFault {
  readonly what: PlannedFault['what'];
  /** Time from the kill until all processes were ready again. */
  readonly recoveredAfterMs: number;
}

const recoveryTimeoutMs = 90_000;

const isReady = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.ok ?? false;
};

/** Checks whether all processes are running and every `/readyz` endpoint reports success. */
const isRecovered = async ({ pid, endpoints }: Service, processCount: number): Promise<boolean> => {
  const { query_base_url, ingest_base_url, ops_base_url, worker_base_url } = endpoints;
  const services = [query_base_url, ingest_base_url, ops_base_url, worker_base_url].map(isReady);
  return (await Promise.all(services)).every(Boolean) && findProcesses(pid).size === processCount;
};

/** Returns a function that carries out a planned kill and waits until the service has recovered. */
export const createKiller = (
  system: { service: Service; readonly onLog: (line: string) => void },
  faultWindow: FaultWindow,
) => {
  const processCount = findProcesses(system.service.pid).size;
  const killAll = async () => {
    const { dataDir } = system.service;
    await system.service.kill9();
    system.service = await startService({ dataDir, onLog: system.onLog });
  };
  const killProcess = (what: Exclude<PlannedFault['what'], 'everything'>) => {
    const pid = findProcesses(system.service.pid).get(what);
    if (pid === undefined) throw new Error(`${what} is not running`);
    process.kill(pid, 'SIGKILL');
  };
  return async ({ what }: PlannedFault): Promise<DoneFault> => {
    const began = performance.now();
    await faultWindow.openDuring(async () => {
      if (what === 'everything') await killAll();
      else killProcess(what);
      // Without this pause, the service could look recovered before the supervisor has noticed the exit.
      await sleep(100);
      while (!(await isRecovered(system.service, processCount))) {
        if (performance.now() - began > recoveryTimeoutMs)
          throw new Error(`the service had not recovered ${recoveryTimeoutMs} ms after the kill of ${what}`);
        await sleep(250);
      }
    });
    return { what, recoveredAfterMs: performance.now() - began };
  };
};
