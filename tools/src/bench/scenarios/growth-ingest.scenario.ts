import { PopRecorded } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Scenario, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import { openIntake } from '../testbed/intake.ts';
import { openTestbed, type Testbed } from '../testbed/rig.ts';
import { event } from '../traffic/fill-log.ts';
import { play } from '../traffic/plays.ts';
import { p50 } from './page.ts';

const growth = 10;
const inEach = 100;

/** A log with so many streams of a hundred plays, and the service on it. */
const grownIntake = async (rig: Testbed, streams: number) => {
  const node = await rig.eventStore();
  const store = openEventStore({ url: node.url });
  for (let stream = 0; stream < streams; stream += 1) {
    const plays = Array.from({ length: inEach }, (_, at) => event(PopRecorded.type, play(stream * inEach + at)));
    await store.append(`pop-1.filled.${stream}`, plays);
  }
  await store.close();
  return { node, ...(await openIntake(rig)) };
};

export const growthIngest: Scenario = {
  name: 'growth-ingest',
  about: 'POST of a hundred plays into a log of --n events, and into one of ten times as many in ten times the streams',
  async run(rig, { pairs, events }) {
    const other = openTestbed();
    rig.addCleanup(() => other.close());
    const [few, many] = [events / inEach, (events * growth) / inEach];
    const side = async (name: string, of: Testbed, streams: number): Promise<Side> => {
      const { node, service, url, post } = await grownIntake(of, streams);
      const spenders = { service: service.pid, store: node.pid };
      return { name, slice: () => measure(spenders, () => post({ url, events: inEach })) };
    };
    const sides = [await side('F7', rig, few), await side('system', other, many)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'F7', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU an event', unit: 'µs', of: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of a request', unit: 'ms', of: p50 }),
      ],
      metrics: [{ name: 'streams', value: many, unit: 'of 100 events' }],
    };
  },
};
