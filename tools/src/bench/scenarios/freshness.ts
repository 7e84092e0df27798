import { quantile, splitIntoGroups } from '../../rig/statistics.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { liveBatchLimits } from '@popsvc/projectors/engine';
import { type Measure, summarizeRatios } from '../harness/comparison.ts';
import type { Scenario } from './scenario.ts';
import { openAllServices, type Tenant } from '../testbed/systems.ts';
import { play } from '../traffic/plays.ts';

interface Probes {
  readonly count: number;
  /** Returns the pause before the next probe, ms. */
  readonly everyMs: () => number;
  /** Index of the first probe; default 0. */
  readonly firstIndex?: number;
  /** Pause between two reads of the report, ms; default 20. */
  readonly pauseMs?: number;
  /** Default: 30,000 ms. */
  readonly timeoutMs?: number;
}

interface Seen {
  /** Time from each probe's 202 response to the first report that contains the probe, in the order the probes were sent. */
  readonly freshMs: readonly number[];
  /** Latency of each report request. */
  readonly readMs: readonly number[];
}

/** Returns the start time of the probe with this index. Only probes start on that day. */
const momentOf = (index: number) => new Date(Date.UTC(2026, 6, 1) + index * 1_000).toISOString();

/** Sends probes (plays with known ids) one by one while a reader polls the report that contains them. */
export const sendProbes = async (
  { push, page }: Pick<Tenant, 'push' | 'page'>,
  { count, everyMs, firstIndex = 0, pauseMs = 20, timeoutMs = 30_000 }: Probes,
): Promise<Seen> => {
  const end = firstIndex + count;
  const acceptedAt: number[] = [];
  const freshMs: number[] = [];
  const readMs: number[] = [];

  const send = async () => {
    for (let index = firstIndex; index < end; index++) {
      await push([{ ...play(index, `probe-${index}`), playedAt: momentOf(index) }]);
      acceptedAt.push(performance.now());
      await sleep(everyMs());
    }
  };

  /**
   * Reads the report repeatedly. Probes become visible in the order of the log, so the time window of each read starts at the
   * first probe that is not visible yet.
   */
  const poll = async () => {
    while (freshMs.length < count) {
      const first = firstIndex + freshMs.length;
      const began = performance.now();
      const text = await page(`from=${momentOf(first)}&to=${momentOf(end)}&limit=50`);
      const now = performance.now();
      readMs.push(now - began);
      // A visible probe whose 202 response has not arrived yet is counted at the next read.
      while (freshMs.length < acceptedAt.length && text.includes(`"probe-${firstIndex + freshMs.length}"`))
        freshMs.push(now - acceptedAt[freshMs.length]!);
      const waiting = acceptedAt[freshMs.length];
      if (waiting !== undefined && now - waiting > timeoutMs)
        throw new Error(`a play was not in the report ${timeoutMs} ms after it was accepted`);
      await sleep(pauseMs);
    }
  };

  await Promise.all([send(), poll()]);
  return { freshMs, readMs };
};

interface Pace {
  readonly everyMs: number;
  readonly plays: number;
}

/** Sends plays that are not probes, as background load, until the signal aborts. */
const trickle = async (
  { push }: Pick<Tenant, 'push'>,
  { everyMs, plays }: Pace,
  signal: AbortSignal,
): Promise<void> => {
  for (let index = 0; !signal.aborted; index += plays) {
    await push(Array.from({ length: plays }, (_, at) => play(index + at)));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

const flushMs = liveBatchLimits.ageMs;
const background = { everyMs: 100, plays: 5 };
const warmUpProbes = 10;

/**
 * Compares the delay until a play is visible with the configured flush interval. The interval is a constant, so there are no
 * pairs of slices to compare. Instead, the run is split into four consecutive parts. The quartiles are computed from the four
 * parts' ratios of delay to interval.
 */
const compareWithFlush = (name: string, share: number, freshMs: readonly number[]): Measure => {
  const systemValue = quantile(freshMs, share);
  return {
    name,
    unit: 'ms',
    baseline: 'flush',
    reading: 'times',
    baselineValue: flushMs,
    systemValue,
    ...summarizeRatios(splitIntoGroups(freshMs, 4).map((group) => quantile(group, share) / flushMs)),
    ratio: systemValue / flushMs,
    selfRatio: undefined,
  };
};

export const freshness: Scenario = {
  name: 'freshness',
  about: `from the 202 of a play until a report contains it, at ${(background.plays * 1_000) / background.everyMs} plays/s`,
  async run(rig, sizes) {
    const service = await openAllServices(rig);
    const stop = new AbortController();
    const others = trickle(service, background, stop.signal);
    // Random pauses keep the probes from synchronizing with the flush interval.
    const sent = sendProbes(service, {
      count: warmUpProbes + sizes.probes,
      everyMs: () => Math.random() * flushMs * 2,
    });
    const { freshMs, readMs } = await sent.finally(() => stop.abort());
    await others;
    const counted = freshMs.slice(warmUpProbes);
    return {
      measures: [
        compareWithFlush('p50 of accepted to visible', 0.5, counted),
        compareWithFlush('p95 of accepted to visible', 0.95, counted),
      ],
      figures: [
        { name: 'slowest', value: Math.max(...counted), unit: 'ms' },
        { name: 'one read of the report, p50', value: quantile(readMs, 0.5), unit: 'ms' },
      ],
    };
  },
};
