import { liveBatchLimits } from '@popsvc/projectors/engine';
import { type Measure, summarizeRatios } from '../harness/compare.ts';
import type { Scenario } from '../harness/scenario.ts';
import { splitIntoGroups, quantile } from '../../rig/statistics.ts';
import { openWholeService } from '../testbed/whole-service.ts';
import { probes } from '../traffic/probes.ts';
import { trickle } from '../traffic/trickle.ts';

const flushMs = liveBatchLimits.ageMs;
const background = { everyMs: 100, plays: 5 };
const warmUpProbes = 10;

/** Held against a setting, not a measurement: there is nothing to repeat. The spread is that of four stretches. */
const against = (name: string, share: number, freshMs: readonly number[]): Measure => {
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
    sameAgainstSame: undefined,
  };
};

export const freshness: Scenario = {
  name: 'freshness',
  about: `from the 202 of a play to the report that holds it, at ${(background.plays * 1_000) / background.everyMs} plays/s`,
  async run(rig, sizes) {
    const service = await openWholeService(rig);
    const stop = new AbortController();
    const others = trickle(service, background, stop.signal);
    // Sent without regard to the projection's own beat.
    const sent = probes(service, { count: warmUpProbes + sizes.probes, everyMs: () => Math.random() * flushMs * 2 });
    const { freshMs, lookMs } = await sent.finally(() => stop.abort());
    await others;
    const counted = freshMs.slice(warmUpProbes);
    return {
      measures: [
        against('p50 of accepted to visible', 0.5, counted),
        against('p95 of accepted to visible', 0.95, counted),
      ],
      metrics: [
        { name: 'slowest', value: Math.max(...counted), unit: 'ms' },
        { name: 'one look at the report, p50', value: quantile(lookMs, 0.5), unit: 'ms' },
      ],
    };
  },
};
