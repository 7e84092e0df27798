import { ensureSchema } from '@popsvc/projectors/run';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measured, peakBytesOf } from '../harness/processes.ts';
import type { Outcome, Scenario, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, merged, type Side, wallPerUnit } from '../harness/slice.ts';
import { openProjecting, projectionNamed } from '../rig/projecting.ts';
import type { Rig } from '../rig/rig.ts';
import { fillPlays, fillRegistry } from '../traffic/fill-log.ts';

const coffee = projectionNamed('coffee');
/** A slice is a whole generation, so there are few of them. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 6));

const run = async (rig: Rig, sizes: Sizes): Promise<Outcome> => {
  const [node, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjecting(rig)];
  const { store, writer } = projecting;
  await fillRegistry(store);
  const upTo = await fillPlays(store, sizes.events, true);
  const pids = { projector: process.pid, store: node.pid, clickhouse: engine.pid };
  let generation = 1;

  /** Tables are made before and dropped after what is measured. */
  const side = (name: string, work: (generation: number) => Promise<void>): Side => ({
    name,
    async slice() {
      const at = (generation += 1);
      await ensureSchema(writer, [{ projection: coffee, generation: at }]);
      const slice = await measured(pids, async () => {
        await work(at);
        return { units: sizes.events };
      });
      await projecting.drop(coffee, at);
      return slice;
    },
  });
  const live = side('live', (at) => projecting.run(coffee, at, upTo));
  const one = side('one part at a time', (at) => projecting.build(coffee, at, upTo, 1));
  const two = side('two parts at a time', (at) => projecting.build(coffee, at, upTo, 2));
  const blocks = await alternate({ sides: [live, one, two], pairs: pairsOf(sizes) });

  const times = { unit: 'µs', floor: 'live', reading: 'times' } as const;
  const measures = [one, two].flatMap(({ name: system }) => [
    compare(blocks, { ...times, system, name: `CPU an event, ${system}`, of: cpuPerUnit() }),
    compare(blocks, { ...times, system, name: `wall an event, ${system}`, of: wallPerUnit }),
  ]);
  const figures = [live, two].flatMap(({ name }) => {
    const all = merged(blocks.flatMap((block) => block[name]!));
    return Object.keys(pids).map((process) => ({
      name: `CPU of the ${process}, ${name}`,
      value: cpuPerUnit(process)(all),
      unit: 'µs an event',
    }));
  });
  const peak = { name: 'most memory of this process', value: peakBytesOf(process.pid) / 2 ** 20, unit: 'MiB' };
  return { measures, figures: [...figures, peak] };
};

export const rebuild: Scenario = {
  name: 'rebuild',
  about: 'plays with a person at every second one into a new generation of coffee: at once, and as it is folded live',
  run,
};
