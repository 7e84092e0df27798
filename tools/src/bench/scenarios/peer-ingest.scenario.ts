import { intakeStream, PopRecorded } from '@popsvc/contracts/events';
import { ensureSchema } from '@popsvc/read-models/generations';
import { alternate, type Block } from '../harness/alternate.ts';
import { compare, type Measure } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Metric, type Outcome, type Scenario, type Sizes, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, wallPerUnit } from '../harness/slice.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { intakePath, openIntake } from '../testbed/intake.ts';
import { startPeer } from '../testbed/peer.ts';
import { openProjecting, type Projecting, projectionNamed } from '../testbed/projecting.ts';
import type { Testbed } from '../testbed/rig.ts';
import { event, fillRegistry } from '../traffic/fill-log.ts';
import { play } from '../traffic/plays.ts';
import { network, vendor } from '../traffic/registry.ts';

const coffee = projectionNamed('coffee');

/** What it costs to bring the events of the log into the report: the peer has done that when it answers. */
const projectAll = async (rig: Testbed, projecting: Projecting, accepted: number): Promise<number> => {
  const [node, clickhouse] = [await rig.eventStore(), await rig.clickhouse()];
  const last = event(PopRecorded.type, play(0, 'the-last'));
  const { position } = await projecting.store.append(intakeStream('pop', network, vendor, Date.now()), [last]);
  await ensureSchema(projecting.writer, [{ projection: coffee, generation: 2 }]);
  const spenders = { projector: process.pid, store: node.pid, clickhouse: clickhouse.pid };
  const slice = await measure(spenders, async () => {
    await projecting.run(coffee, 2, position);
    return { units: accepted };
  });
  return cpuPerUnit()(slice);
};

const run = async (rig: Testbed, { pairs }: Sizes): Promise<Outcome> => {
  const [store, projecting] = [await rig.eventStore(), await openProjecting(rig)];
  await fillRegistry(projecting.store);
  const [peer, { service, url, post }] = [await startPeer(rig), await openIntake(rig)];
  const headers = { ...peer.headers, 'content-type': 'application/json' };
  let accepted = 0;
  const measures: Measure[] = [];
  const metrics: Metric[] = [];
  let all: readonly Block[] = [];
  for (const events of [1, 100]) {
    const sides: readonly Side[] = [
      {
        name: 'peer',
        slice: () => measure(peer.spenders, () => post({ url: peer.url + intakePath, headers, events })),
      },
      {
        name: 'system',
        slice: () =>
          measure({ service: service.pid, store: store.pid }, async () => {
            const work = await post({ url, events });
            accepted += work.units;
            return work;
          }),
      },
    ];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const share = { unit: 'µs', baseline: 'peer', system: 'system', reading: 'share' } as const;
    measures.push(
      compare(blocks, { ...share, name: `CPU an event, ${events} a request`, of: cpuPerUnit() }),
      compare(blocks, { ...share, name: `wall an event, ${events} a request`, of: wallPerUnit }),
    );
    for (const name of ['peer', 'system']) {
      const slices = blocks.flatMap((block) => block[name]!);
      const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs);
      metrics.push(
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
    metrics: [
      ...metrics,
      { name: 'peer, CPU until it is in the report', value: cpuOf('peer'), unit: 'µs an event of 100' },
      { name: 'system, CPU until it is in the report', value: cpuOf('system') + projected, unit: 'µs an event of 100' },
      { name: 'system, of which after it is accepted', value: projected, unit: 'µs an event' },
    ],
  };
};

export const peerIngest: Scenario = {
  name: 'peer-ingest',
  about: 'POST of plays, one and a hundred a request, to us and to the peer without a log, until they are durable',
  run,
};
