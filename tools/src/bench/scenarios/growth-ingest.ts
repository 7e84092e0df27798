import { cpuPerUnit, p50, type Side, warmUpMs } from '../harness/slices.ts';
import { PlaysRecorded } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { type Scenario } from './scenario.ts';
import { openIntake } from '../testbed/systems.ts';
import { openRig, type Rig } from '../testbed/testbed.ts';
import { newEvent } from '../traffic/fill-log.ts';
import { play } from '../traffic/plays.ts';

const growth = 10;
const inEach = 100;

/** Starts command-api on a log that already contains `streams` streams of 100 plays each. */
const grownIntake = async (rig: Rig, streams: number) => {
  const node = await rig.eventStore();
  const store = openEventStore({ url: node.url });
  for (let stream = 0; stream < streams; stream += 1) {
    const plays = Array.from({ length: inEach }, (_, at) => play(stream * inEach + at));
    await store.append(`pop-1.filled.${stream}`, [newEvent(PlaysRecorded.type, { plays })]);
  }
  await store.close();
  return { node, ...(await openIntake(rig)) };
};

export const growthIngest: Scenario = {
  name: 'growth-ingest',
  about: 'POST of a hundred plays to a log of --n events, and to a log with ten times as many events and streams',
  async run(rig, { pairs, events }) {
    const other = openRig();
    rig.onClose(() => other.close());
    const [few, many] = [events / inEach, (events * growth) / inEach];
    const side = async (name: string, of: Rig, streams: number): Promise<Side> => {
      const { node, service, url, post } = await grownIntake(of, streams);
      const meters = { service: service.pid, store: node.pid };
      return { name, slice: () => measureSlice(meters, () => post({ url, events: inEach })) };
    };
    const sides = [await side('F7', rig, few), await side('system', other, many)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'F7', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU an event', unit: 'µs', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of a request', unit: 'ms', cost: p50 }),
      ],
      figures: [{ name: 'streams', value: many, unit: 'of 100 plays' }],
    };
  },
};
