import { type Figure, type Outcome } from '../harness/report.ts';
import { median } from '../../rig/statistics.ts';
import { randomUUID } from 'node:crypto';
import { generationTable } from '@popsvc/platform/clickhouse';
import { plays } from '@popsvc/read-models/tables';
import { readComputedRows, type PreparedInsert, readLog, createRecordingWriter } from '../baselines/projection.ts';
import { alternate, compare } from '../harness/comparison.ts';
import type { Scenario, Sizes } from './scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, type Slice, wallPerUnit } from '../harness/slices.ts';
import type { Rig } from '../testbed/testbed.ts';
import { coffee, openCoffeeLog } from './coffee-log.ts';

/** Returns the number of pairs to measure. It is lower than `--pairs`, because each measurement projects the whole log. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 6));

/** Measures the projection of the log into `coffee`. Each measurement fills a new generation. */
const projection = async (rig: Rig, sizes: Sizes, withPeople: boolean): Promise<Outcome> => {
  const units = sizes.events;
  const { url, upTo, writer, inNewGeneration, live } = await openCoffeeLog(rig, units, withPeople);
  const engine = await rig.clickhouse();
  type Batches = readonly (readonly PreparedInsert[])[];
  let [facts, computed]: [Batches, Batches] = [[], []];
  const [readMs, insertMs]: [number[], number[]] = [[], []];

  const system: Side = {
    name: 'system',
    slice: () =>
      inNewGeneration(
        async (at) => {
          const { recording, batches } = createRecordingWriter(writer, at, coffee.tables);
          await live(at, recording);
          facts = batches;
        },
        async (at) => {
          computed = await readComputedRows(engine, at);
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
        const insertAt = ({ table, insert }: PreparedInsert) =>
          writer.insert({ ...insert, table: generationTable(table, at), token: randomUUID() });
        for (const [batch, rows] of facts.entries())
          await Promise.all([...rows, ...(computed[batch] ?? [])].map(insertAt));
        readMs.push(read - began);
        insertMs.push(performance.now() - read);
      }),
  };
  // Each slice of the baseline inserts the rows that the system wrote in its latest slice. The first slice of the baseline uses the
  // rows that the system wrote during its warm-up.
  const blocks = await alternate({ sides: [baseline, system], pairs: pairsOf(sizes) });

  const times = { unit: 'µs', baseline: 'F3', system: 'system', reading: 'times' } as const;
  const perSecond = 1_000_000 / median(blocks.flatMap((block) => block['system']!).map(wallPerUnit));
  const figures: Figure[] = [
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
      compare(blocks, { ...times, name: 'CPU an event, all', cost: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'wall an event', cost: wallPerUnit }),
    ],
    figures: [...figures, ...cpuFigures(blocks.flatMap((block) => block['system']!))],
  };
};

const cpuFigures = (slices: readonly Slice[]): Figure[] =>
  ['projector', 'store', 'clickhouse'].map((name) => ({
    name: `CPU of the ${name}`,
    value: cpuPerUnit(name)(mergeSlices(slices)),
    unit: 'µs an event',
  }));

export const projectionPeople: Scenario = {
  name: 'projection-people',
  about: 'projection of plays and detections into coffee, with a person at every second play',
  run: (rig, sizes) => projection(rig, sizes, true),
};

export const projectionPlays: Scenario = {
  name: 'projection-plays',
  about: 'projection of plays into coffee, until they are checkpointed',
  run: (rig, sizes) => projection(rig, sizes, false),
};
