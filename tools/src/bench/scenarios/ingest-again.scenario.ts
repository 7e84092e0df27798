import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Scenario, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { openIntake } from '../testbed/intake.ts';

export const ingestAgain: Scenario = {
  name: 'ingest-again',
  about: 'POST of a hundred plays that were all sent before, held against those that are new',
  async run(rig, { pairs }) {
    const [store, { service, url, post }] = [await rig.eventStore(), await openIntake(rig)];
    const side = (name: string, again: boolean): Side => ({
      name,
      slice: () =>
        measure({ service: service.pid, store: store.pid }, () => post({ url, events: 100, ...(again && { again }) })),
    });
    const blocks = await alternate({ sides: [side('first', false), side('again', true)], pairs, warmUpMs });
    const times = { unit: 'µs', baseline: 'first', system: 'again', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU an event, sent again', of: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'wall an event, sent again', of: wallPerUnit }),
      ],
      metrics: [],
    };
  },
};
