import { randomUUID } from 'node:crypto';
import { plays } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { computedRows } from '../baselines/computed-rows.ts';
import { readLog } from '../baselines/read-log.ts';
import { type Prebuilt, recordingWriter } from '../baselines/recording-writer.ts';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import type { Metric, Outcome, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, type Slice, wallPerUnit } from '../harness/slice.ts';
import { median } from '../../rig/statistics.ts';
import type { Testbed } from '../testbed/rig.ts';
import { coffee, openCoffeeLog } from './coffee-log.ts';

/** A slice is a whole projection, so there are fewer of them. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 6));

/** The log into coffee, each time into a generation of its own. */
export const projection = async (rig: Testbed, sizes: Sizes, withPeople: boolean): Promise<Outcome> => {
  const units = sizes.events;
  const { url, upTo, writer, inNewGeneration, live } = await openCoffeeLog(rig, units, withPeople);
  const engine = await rig.clickhouse();
  type Batches = readonly (readonly Prebuilt[])[];
  let [facts, computed]: [Batches, Batches] = [[], []];
  const [readMs, insertMs]: [number[], number[]] = [[], []];

  const system: Side = {
    name: 'system',
    slice: () =>
      inNewGeneration(
        async (at) => {
          const { recording, batches } = recordingWriter(writer, at, coffee.tables);
          await live(at, recording);
          facts = batches;
        },
        async (at) => {
          computed = await computedRows(engine, at);
        },
      ),
  };
  const baseline: Side = {
    name: 'F3',
    slice: () =>
      inNewGeneration(async (at) => {
        const began = performance.now();
        await readLog(url, coffee.streams, upTo);
        const read = performance.now();
        const insertAt = ({ table, insert }: Prebuilt) =>
          writer.insert({ ...insert, table: generationTable(table, at), token: randomUUID() });
        for (const [batch, rows] of facts.entries())
          await Promise.all([...rows, ...(computed[batch] ?? [])].map(insertAt));
        readMs.push(read - began);
        insertMs.push(performance.now() - read);
      }),
  };
  // What the baseline inserts is what the system inserted last, the first time while warming up.
  const blocks = await alternate({ sides: [baseline, system], pairs: pairsOf(sizes) });

  const times = { unit: 'µs', baseline: 'F3', system: 'system', reading: 'times' } as const;
  const perSecond = 1_000_000 / median(blocks.flatMap((block) => block['system']!).map(wallPerUnit));
  const metrics: Metric[] = [
    { name: 'projected', value: perSecond, unit: 'events/s' },
    { name: 'read by the client alone', value: (units * 1_000) / median(readMs), unit: 'events/s' },
    { name: 'inserted alone', value: (units * 1_000) / median(insertMs), unit: 'events/s' },
    {
      name: 'batches',
      value: facts.filter((rows) => rows.some(({ table }) => table === plays)).length,
      unit: 'of plays',
    },
  ];
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU an event, all', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'wall an event', of: wallPerUnit }),
    ],
    metrics: [...metrics, ...cpuMetrics(blocks.flatMap((block) => block['system']!))],
  };
};

const cpuMetrics = (slices: readonly Slice[]): Metric[] =>
  ['projector', 'store', 'clickhouse'].map((name) => ({
    name: `CPU of the ${name}`,
    value: cpuPerUnit(name)(mergeSlices(slices)),
    unit: 'µs an event',
  }));
