import { generationTable } from '@popsvc/contracts/tables';
import { ensureSchema } from '@popsvc/projectors/run';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measured } from '../harness/processes.ts';
import type { Outcome, Scenario, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { openProjecting, projectionNamed } from '../rig/projecting.ts';
import type { Rig } from '../rig/rig.ts';
import { fillPlays, fillRegistry } from '../traffic/fill-log.ts';

const coffee = projectionNamed('coffee');
const growth = 10;
/** A slice is a whole generation, one in two of them of half a million events: there are as few as may be. */
const pairs = 2;

const run = async (rig: Rig, { events }: Sizes): Promise<Outcome> => {
  const [node, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjecting(rig)];
  const { store, writer } = projecting;
  await fillRegistry(store);
  const few = await fillPlays(store, events, true);
  const many = await fillPlays(store, events * (growth - 1), true);
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
  const side = (name: string, units: number, work: (generation: number) => Promise<void>): Side => ({
    name,
    async slice() {
      const at = (generation += 1);
      await ensureSchema(writer, [{ projection: coffee, generation: at }]);
      const slice = await measured(pids, async () => {
        await work(at);
        return { units };
      });
      mostParts = Math.max(mostParts, await partsOf(at));
      await projecting.drop(coffee, at);
      return slice;
    },
  });
  const sides = [
    side('F7', events, (at) => projecting.run(coffee, at, few)),
    side('live', events * growth, (at) => projecting.run(coffee, at, many)),
    side('F7 at once', events, (at) => projecting.build(coffee, at, few, 2)),
    side('at once', events * growth, (at) => projecting.build(coffee, at, many, 2)),
  ];
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
    figures: [{ name: 'most parts of a partition', value: mostParts, unit: 'parts' }],
  };
};

export const growthProjection: Scenario = {
  name: 'growth-projection',
  about: 'coffee from a log of --n events and from one of ten times as many, as it is folded live and at once',
  run,
};
