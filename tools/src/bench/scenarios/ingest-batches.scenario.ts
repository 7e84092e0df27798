import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Scenario, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import { openIntake } from '../testbed/intake.ts';

export const ingestBatches: Scenario = {
  name: 'ingest-batches',
  about: 'what a play costs among a hundred of a request, held against one that is sent alone; both only checked',
  async run(rig, { pairs }) {
    const { service, checkedUrl: url, post } = await openIntake(rig);
    const side = (name: string, events: number): Side => ({
      name,
      slice: () => measure({ service: service.pid }, () => post({ url, status: 200, events })),
    });
    const blocks = await alternate({ sides: [side('alone', 1), side('hundred', 100)], pairs, warmUpMs });
    const name = 'CPU an event, checked by the hundred';
    const asked = { name, unit: 'µs', baseline: 'alone', system: 'hundred', reading: 'times' } as const;
    return { measures: [compare(blocks, { ...asked, of: cpuPerUnit() })], metrics: [] };
  },
};
