import { generationTable } from '@popsvc/platform/clickhouse';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import type { Outcome, Scenario, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { openTestbed, type Testbed } from '../testbed/rig.ts';
import { coffee, openCoffeeLog } from './coffee-log.ts';

const growth = 10;
/** A slice is a whole generation, one in two of them of half a million events: there are as few as may be. */
const pairs = 2;

/** What makes coffee of a log; into how many parts at most a partition came, and how many inserts had to wait for it. */
const openLog = async (rig: Testbed, events: number) => {
  const { writer, inNewGeneration, live } = await openCoffeeLog(rig, events, true);
  let mostParts = 0;
  const look = async (at: number): Promise<void> => {
    const tables = coffee.tables.map((table) => `'${generationTable(table, at)}'`).join(', ');
    const [row] = await writer.rows<{ most: number }>(
      `SELECT toFloat64(max(parts)) AS most FROM (SELECT count() AS parts FROM system.parts
       WHERE active AND database = '${writer.database}' AND table IN (${tables}) GROUP BY table, partition)`,
    );
    mostParts = Math.max(mostParts, row!.most);
  };
  const delayedInserts = async (): Promise<number> => {
    const [row] = await writer.rows<{ inserts: number }>(
      `SELECT toFloat64(sum(value)) AS inserts FROM system.events WHERE event IN ('DelayedInserts', 'RejectedInserts')`,
    );
    return row!.inserts;
  };
  return {
    live: (name: string): Side => ({ name, slice: () => inNewGeneration((at) => live(at), look) }),
    mostParts: () => mostParts,
    delayedInserts,
  };
};

const run = async (rig: Testbed, { events }: Sizes): Promise<Outcome> => {
  const other = openTestbed();
  rig.addCleanup(() => other.close());
  const [few, many] = [await openLog(rig, events), await openLog(other, events * growth)];
  const sides = [few.live('F7'), many.live('live')];
  const blocks = await alternate({ sides, pairs });
  const times = { unit: 'µs', reading: 'times' } as const;
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU an event, live', baseline: 'F7', system: 'live', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'wall an event, live', baseline: 'F7', system: 'live', of: wallPerUnit }),
    ],
    metrics: [
      { name: 'most parts of a partition', value: many.mostParts(), unit: 'parts' },
      { name: 'delayed or refused inserts', value: await many.delayedInserts(), unit: 'inserts' },
    ],
  };
};

export const growthProjection: Scenario = {
  name: 'growth-projection',
  about: 'coffee from a log of --n events and from one of ten times as many, as it is folded live',
  run,
};
