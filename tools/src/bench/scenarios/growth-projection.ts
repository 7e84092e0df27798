import { type Outcome } from '../harness/report.ts';
import { generationTable } from '@popsvc/platform/clickhouse';
import { alternate, compare } from '../harness/comparison.ts';
import type { Scenario, Sizes } from './scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slices.ts';
import { openRig, type Rig } from '../testbed/testbed.ts';
import { coffee, openCoffeeLog } from './coffee-log.ts';

const growth = 10;
/**
 * Number of pairs to measure: always the minimum, regardless of `--pairs`. Each measurement builds a whole generation, and half of
 * the measurements project ten times as many events.
 */
const pairs = 2;

/**
 * Fills a log and returns three functions: `live` creates a benchmark side that projects the log; `mostParts` returns the
 * largest number of parts found in any ClickHouse partition; `delayedInserts` counts the inserts that ClickHouse delayed or
 * rejected.
 */
const openLog = async (rig: Rig, events: number) => {
  const { writer, inNewGeneration, live } = await openCoffeeLog(rig, events, true);
  let mostParts = 0;
  const countParts = async (at: number): Promise<void> => {
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
    live: (name: string): Side => ({ name, slice: () => inNewGeneration((at) => live(at), countParts) }),
    mostParts: () => mostParts,
    delayedInserts,
  };
};

const run = async (rig: Rig, { events }: Sizes): Promise<Outcome> => {
  const other = openRig();
  rig.onClose(() => other.close());
  const [few, many] = [await openLog(rig, events), await openLog(other, events * growth)];
  const sides = [few.live('F7'), many.live('live')];
  const blocks = await alternate({ sides, pairs });
  const times = { unit: 'µs', reading: 'times' } as const;
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU an event, live', baseline: 'F7', system: 'live', cost: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'wall an event, live', baseline: 'F7', system: 'live', cost: wallPerUnit }),
    ],
    figures: [
      { name: 'most parts of a partition', value: many.mostParts(), unit: 'parts' },
      { name: 'delayed or refused inserts', value: await many.delayedInserts(), unit: 'inserts' },
    ],
  };
};

export const growthProjection: Scenario = {
  name: 'growth-projection',
  about: 'live projection into coffee, from a log of --n events and from a log of ten times as many',
  run,
};
