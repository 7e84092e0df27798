import { median, quantile } from '../../rig/statistics.ts';
import { type Figure } from '../harness/report.ts';
import { PlaysRecorded, streamPrefixes } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import { startOnOwnCores } from '../harness/cores.ts';
import { readPeakBytes } from '../harness/process-usage.ts';
import type { Scenario } from './scenario.ts';
import { openIntake } from '../testbed/systems.ts';
import type { Rig } from '../testbed/testbed.ts';
import { newEvent } from '../traffic/fill-log.ts';
import type { FloodRequest, FloodResult } from '../traffic/flood.ts';
import { play } from '../traffic/plays.ts';

const events = 100;
const times = 3;
/** Duration of each phase (peak and flood) per configured pair. With the default of 20 pairs, each phase lasts one minute. */
const msPerPair = 3_000;
const warmUpSlices = 2;

/** Appends a final play and returns the event ids of all plays in the log, including the final one. */
const idsInLog = async (rig: Rig): Promise<ReadonlySet<string>> => {
  const store = openEventStore({ url: (await rig.eventStore()).url });
  rig.onClose(() => store.close());
  const { position } = await store.append('pop-1.bench.end', [
    newEvent(PlaysRecorded.type, { plays: [play(0, 'the-end')] }),
  ]);
  const ids = new Set<string>();
  const { signal } = new AbortController();
  for await (const message of store.subscribe({
    after: 'start',
    prefixes: [streamPrefixes.pop],
    upTo: position,
    signal,
  })) {
    if (message.kind !== 'event') break;
    for (const { eventId } of (message.event.data as PlaysRecorded).plays) ids.add(eventId);
  }
  return ids;
};

export const overload: Scenario = {
  name: 'overload',
  about: `${times} times the maximum rate of requests of ${events} plays for a minute, after a minute at the maximum rate`,
  async run(rig, { pairs }) {
    const { service, url, headers, post } = await startOnOwnCores(rig, () => openIntake(rig));
    const forMs = pairs * msPerPair;
    const rates: number[] = [];
    for (const began = performance.now(); performance.now() - began < forMs;) {
      const { units, wallMs = 0 } = await post({ url, events });
      rates.push((units * 1_000) / wallMs);
    }
    const peak = median(rates.slice(warmUpSlices));
    const peakBytes = readPeakBytes(service.pid);

    const flood = rig.worker(new URL('../traffic/flood.js', import.meta.url));
    const request: FloodRequest = { url, headers, events, perSecond: (times * peak) / events, forMs };
    const { accepted, refusedMs, otherOutcomes, wallMs, senderDelayMs } = await flood.request<FloodResult>(request);
    const goodput = (accepted.length * events * 1_000) / wallMs;
    const ids = await idsInLog(rig);
    const figures: Figure[] = [
      { name: 'goodput of the peak', value: goodput / peak, unit: 'of it' },
      { name: 'p50 of a refusal', value: median(refusedMs), unit: 'ms' },
      { name: 'p95 of a refusal', value: quantile(refusedMs, 0.95), unit: 'ms' },
      { name: 'memory, times that at the peak', value: readPeakBytes(service.pid) / peakBytes, unit: 'times' },
      { name: 'accepted and lost', value: accepted.filter((id) => !ids.has(id)).length, unit: 'requests' },
      { name: 'peak', value: peak, unit: 'events/s' },
      { name: 'sent', value: (times * peak) / events, unit: 'requests/s' },
      { name: 'p95 of the delay of the sender', value: senderDelayMs, unit: 'ms' },
      { name: 'refused', value: refusedMs.length, unit: 'requests' },
      ...Object.entries(otherOutcomes).map(([name, value]) => ({ name: `ended by ${name}`, value, unit: 'requests' })),
    ];
    return { measures: [], figures };
  },
};
