import { cpuPerUnit, mergeSlices, type Side, wallPerUnit, warmUpMs } from '../harness/slices.ts';
import { type Figure, type Outcome } from '../harness/report.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { intakeStream, PlaysRecorded } from '@popsvc/contracts/events';
import { ensureSchema } from '@popsvc/read-models/generations';
import { alternate, type Block, compare, type Measure } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { type Scenario, type Sizes } from './scenario.ts';
import { intakePath, openIntake } from '../testbed/systems.ts';
import { startCompetitor } from '../testbed/competitor.ts';
import { openProjector, type Projector, findProjection } from '../testbed/projector.ts';
import type { Rig } from '../testbed/testbed.ts';
import { newEvent, fillRegistry } from '../traffic/fill-log.ts';
import { play } from '../traffic/plays.ts';
import { network, vendor } from '../traffic/network.ts';

const coffee = findProjection('coffee');

/**
 * Projects the log and returns the CPU time per event, µs. For a fair comparison, this time is added to the CPU time of popsvc's
 * intake: in popsvc, reports contain a play only after the projection, but in the competitor as soon as its intake has responded.
 */
const projectAll = async (rig: Rig, projecting: Projector, accepted: number): Promise<number> => {
  const [node, clickhouse] = [await rig.eventStore(), await rig.clickhouse()];
  const last = newEvent(PlaysRecorded.type, { plays: [play(0, 'the-last')] });
  const { position } = await projecting.store.append(intakeStream('pop', network, vendor, Date.now()), [last]);
  await ensureSchema(projecting.writer, [{ projection: coffee, generation: 2 }]);
  const meters = { projector: process.pid, store: node.pid, clickhouse: clickhouse.pid };
  const slice = await measureSlice(meters, async () => {
    await projecting.run(coffee, 2, position);
    return { units: accepted };
  });
  return cpuPerUnit()(slice);
};

const run = async (rig: Rig, { pairs }: Sizes): Promise<Outcome> => {
  const [store, projecting] = [await rig.eventStore(), await openProjector(rig)];
  await fillRegistry(projecting.store);
  const [competitor, { service, url, post }] = [await startCompetitor(rig), await openIntake(rig)];
  const headers = { ...competitor.headers, 'content-type': 'application/json' };
  let accepted = 0;
  const measures: Measure[] = [];
  const figures: Figure[] = [];
  let all: readonly Block[] = [];
  for (const events of [1, 100]) {
    const sides: readonly Side[] = [
      {
        name: 'competitor',
        slice: () => measureSlice(competitor.meters, () => post({ url: competitor.url + intakePath, headers, events })),
      },
      {
        name: 'system',
        slice: () =>
          measureSlice({ service: service.pid, store: store.pid }, async () => {
            const work = await post({ url, events });
            accepted += work.units;
            return work;
          }),
      },
    ];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const share = { unit: 'µs', baseline: 'competitor', system: 'system', reading: 'share' } as const;
    measures.push(
      compare(blocks, { ...share, name: `CPU an event, ${events} a request`, cost: cpuPerUnit() }),
      compare(blocks, { ...share, name: `wall an event, ${events} a request`, cost: wallPerUnit }),
    );
    for (const name of ['competitor', 'system']) {
      const slices = blocks.flatMap((block) => block[name]!);
      const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs);
      figures.push(
        { name: `${name}, ${events} a request`, value: 1_000_000 / median(slices.map(wallPerUnit)), unit: 'events/s' },
        { name: `${name}, ${events} a request, p99`, value: quantile(latencies, 0.99), unit: 'ms' },
      );
    }
    all = blocks;
  }
  const projected = await projectAll(rig, projecting, accepted);
  const cpuOf = (side: string) => cpuPerUnit()(mergeSlices(all.flatMap((block) => block[side]!)));
  return {
    measures,
    figures: [
      ...figures,
      { name: 'competitor, CPU until it is in the report', value: cpuOf('competitor'), unit: 'µs an event of 100' },
      { name: 'system, CPU until it is in the report', value: cpuOf('system') + projected, unit: 'µs an event of 100' },
      { name: 'system, of which after it is accepted', value: projected, unit: 'µs an event' },
      {
        name: 'CPU until it is in the report, of the cost',
        value: (cpuOf('system') + projected) / cpuOf('competitor'),
        unit: 'times',
      },
    ],
  };
};

export const competitorIngest: Scenario = {
  name: 'competitor-ingest',
  about:
    'POST of plays until they are durable, with one and with a hundred per request: popsvc, and the competitor without a log',
  run,
};
