import { generationTable } from '@popsvc/contracts/tables';
import { ensureSchema } from '@popsvc/projectors/run';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measured } from '../harness/processes.ts';
import type { Outcome, Scenario, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { openProjecting, projectionNamed } from '../rig/projecting.ts';
import { openRig, type Rig } from '../rig/rig.ts';
import { fillPlays, fillRegistry } from '../traffic/fill-log.ts';

const coffee = projectionNamed('coffee');
const growth = 10;
/** A slice is a whole generation, one in two of them of half a million events: there are as few as may be. */
const pairs = 2;

/** A log of so many events, and what makes coffee of it: live, and at once. */
const openLog = async (rig: Rig, events: number) => {
  const [node, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjecting(rig)];
  const { store, writer } = projecting;
  await fillRegistry(store);
  const upTo = await fillPlays(store, events, true);
  const pids = { projector: process.pid, store: node.pid, clickhouse: engine.pid };
  let generation = 1;
  let mostParts = 0;
  const partsOf = async (at: number): Promise<number> => {
    const tables = coffee.tables.map((table) => `'${generationTable(table, at)}'`).join(', ');
    const [row] = await writer.rows<{ most: number }>(
      `SELECT toFloat64(max(parts)) AS most FROM (SELECT count() AS parts FROM system.parts
       WHERE active AND database = '${writer.database}' AND table IN (${tables}) GROUP BY table, partition)`,
    );
    return row!.most;
  };
  const side = (name: string, work: (generation: number) => Promise<void>): Side => ({
    name,
    async slice() {
      const at = (generation += 1);
      await ensureSchema(writer, [{ projection: coffee, generation: at }]);
      const slice = await measured(pids, async () => {
        await work(at);
        return { units: events };
      });
      mostParts = Math.max(mostParts, await partsOf(at));
      await projecting.drop(coffee, at);
      return slice;
    },
  });
  return {
    live: (name: string) => side(name, (at) => projecting.run(coffee, at, upTo)),
    atOnce: (name: string) => side(name, (at) => projecting.build(coffee, at, upTo, 2)),
    mostParts: () => mostParts,
  };
};

const run = async (rig: Rig, { events }: Sizes): Promise<Outcome> => {
  const other = openRig();
  rig.keep(() => other.close());
  const [few, many] = [await openLog(rig, events), await openLog(other, events * growth)];
  const sides = [few.live('F7'), many.live('live'), few.atOnce('F7 at once'), many.atOnce('at once')];
  const blocks = await alternate({ sides, pairs });
  const times = { unit: 'µs', reading: 'times' } as const;
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU an event, live', floor: 'F7', system: 'live', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'wall an event, live', floor: 'F7', system: 'live', of: wallPerUnit }),
      compare(blocks, {
        ...times,
        name: 'wall an event, at once',
        floor: 'F7 at once',
        system: 'at once',
        of: wallPerUnit,
      }),
    ],
    figures: [{ name: 'most parts of a partition', value: many.mostParts(), unit: 'parts' }],
  };
};

export const growthProjection: Scenario = {
  name: 'growth-projection',
  about: 'coffee from a log of --n events and from one of ten times as many, as it is folded live and at once',
  run,
};
