import { PopRecorded, streamPrefixes } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import { readPeakBytes } from '../harness/processes.ts';
import type { Metric, Scenario } from '../harness/scenario.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { openIntake } from '../testbed/intake.ts';
import type { Testbed } from '../testbed/rig.ts';
import { event } from '../traffic/fill-log.ts';
import type { Flood, Flooded } from '../traffic/flood.ts';
import { play } from '../traffic/plays.ts';

const events = 100;
const times = 3;
/** Of the peak and again of the flood, for each pair that is asked for: a minute for the standard twenty. Memory grows with time, too. */
const msAPair = 3_000;
const warmUpSlices = 2;

/** The ids of all plays in the log. */
const idsInLog = async (rig: Testbed): Promise<ReadonlySet<string>> => {
  const store = openEventStore({ url: (await rig.eventStore()).url });
  rig.addCleanup(() => store.close());
  const { position } = await store.append('pop-1.bench.end', [event(PopRecorded.type, play(0, 'the-end'))]);
  const ids = new Set<string>();
  const { signal } = new AbortController();
  for await (const told of store.subscribe({
    after: 'start',
    prefixes: [streamPrefixes.pop],
    upTo: position,
    signal,
  })) {
    if (told.kind !== 'event') break;
    ids.add((told.event.data as PopRecorded).eventId);
  }
  return ids;
};

export const overload: Scenario = {
  name: 'overload',
  about: `${times} times as many requests of ${events} plays as the service can take, for a minute, after one of as many as it can`,
  async run(rig, { pairs }) {
    const { service, url, headers, post } = await openIntake(rig);
    const forMs = pairs * msAPair;
    const rates: number[] = [];
    for (const began = performance.now(); performance.now() - began < forMs;) {
      const { units, wallMs = 0 } = await post({ url, events });
      rates.push((units * 1_000) / wallMs);
    }
    const peak = median(rates.slice(warmUpSlices));
    const peakBytes = readPeakBytes(service.pid);

    const flood = rig.worker(new URL('../traffic/flood.js', import.meta.url));
    const asked: Flood = { url, headers, events, perSecond: (times * peak) / events, forMs };
    const { accepted, refusedMs, otherwise, wallMs, ownDelayMs } = await flood.request<Flooded>(asked);
    const goodput = (accepted.length * events * 1_000) / wallMs;
    const ids = await idsInLog(rig);
    const metrics: Metric[] = [
      { name: 'goodput of the peak', value: goodput / peak, unit: 'of it' },
      { name: 'p50 of a refusal', value: median(refusedMs), unit: 'ms' },
      { name: 'p95 of a refusal', value: quantile(refusedMs, 0.95), unit: 'ms' },
      { name: 'memory, times that at the peak', value: readPeakBytes(service.pid) / peakBytes, unit: 'times' },
      { name: 'accepted and lost', value: accepted.filter((id) => !ids.has(id)).length, unit: 'requests' },
      { name: 'peak', value: peak, unit: 'events/s' },
      { name: 'sent', value: (times * peak) / events, unit: 'requests/s' },
      { name: 'p95 of how late the sender itself was', value: ownDelayMs, unit: 'ms' },
      { name: 'refused', value: refusedMs.length, unit: 'requests' },
      ...Object.entries(otherwise).map(([name, value]) => ({ name: `ended by ${name}`, value, unit: 'requests' })),
    ];
    return { measures: [], metrics };
  },
};
