import { DetectionsRecorded, intakeStream, PlaysRecorded, ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { ensureSchema } from '@popsvc/read-models/generations';
import { median } from '../../rig/statistics.ts';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { cpuPerUnit, mergeSlices, type Side, wallPerUnit } from '../harness/slices.ts';
import { findProjection, openProjector } from '../testbed/projector.ts';
import type { PartitionWorkerRequest } from '../testbed/partition-worker.ts';
import type { Rig } from '../testbed/testbed.ts';
import { fillRegistry, newEvent } from '../traffic/fill-log.ts';
import { screens } from '../traffic/network.ts';
import { detection, play } from '../traffic/plays.ts';
import type { Scenario } from './scenario.ts';

const partitions = 4;
const networks = [10, 11, 12, 13];
const requestSize = 100;
const timezone = 'Europe/Berlin';

const screenOf = (network: number, index: number) => `screen-${network}-${index % screens}`;
const deviceOf = (network: number, index: number) => network * 100 + (index % screens);

const registry = {
  networks: networks.map((id) => ({ id, name: `Network ${id}`, timezone })),
  vendors: networks.map((network) => ({ code: `vendor${network}`, name: `Vendor ${network}`, network })),
  sites: networks.map((network) => ({ id: network, name: `Site ${network}`, network, timezone })),
  locations: networks.map((network) => ({ id: network, name: `Location ${network}`, site: network })),
  devices: networks.flatMap((network) =>
    Array.from({ length: screens }, (_, index) => ({
      id: deviceOf(network, index),
      name: `Screen ${index}`,
      location: network,
      screen_ids: [screenOf(network, index)],
    })),
  ),
};

/**
 * Appends `items` plays and detections of the networks in turn, and a probe, which all partitions read. Resolves with the position of
 * the probe.
 */
const fill = async (store: EventStore, items: number): Promise<bigint> => {
  await fillRegistry(store, registry);
  const append = async (kind: 'pop' | 'detection', network: number, type: string, data: object) => {
    const vendor = `vendor${network}`;
    await store.append(intakeStream(kind, network, vendor, Date.now()), [newEvent(type, data, { network, vendor })]);
  };
  for (let [appended, request] = [0, 0]; appended < items; request += 1) {
    const network = networks[request % networks.length]!;
    const first = Math.floor(request / networks.length) * requestSize;
    const indexes = Array.from({ length: requestSize }, (_, index) => first + index);
    const plays = indexes.map((at) => ({ ...play(at, `play-${network}-${at}`), screenId: screenOf(network, at) }));
    await append('pop', network, PlaysRecorded.type, { plays });
    const detections = indexes
      .filter((at) => at % 2 === 0)
      .map((at) => ({ ...detection(at), detectionId: `${network}-${at}`, deviceId: deviceOf(network, at) }));
    await append('detection', network, DetectionsRecorded.type, { detections });
    appended += plays.length + detections.length;
  }
  const probe = { service: 'bench', emittedAt: new Date().toISOString() };
  const { position } = await store.append(probeStream('bench'), [newEvent(ProbeEmitted.type, probe)]);
  return position;
};

/** A process with the partitions that it runs. */
interface Member {
  readonly owner: string;
  readonly own: readonly number[];
}

/** Starts processes and returns the side that projects the log with them, each time into a new generation of `coffee`. */
const openSide = async (
  rig: Rig,
  name: string,
  of: number,
  members: readonly Member[],
  log: { readonly upTo: bigint; readonly items: number },
  nextGeneration: () => number,
): Promise<Side> => {
  const [store, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjector(rig)];
  const databaseUrl = await rig.postgres();
  const processes = await Promise.all(
    members.map(async ({ owner, own }) => {
      const worker = rig.worker(new URL('../testbed/partition-worker.js', import.meta.url));
      const clickhouse = { url: engine.url, ...engine.writer };
      await worker.request({
        step: 'open',
        storeUrl: store.url,
        databaseUrl,
        clickhouse,
        owner,
      } satisfies PartitionWorkerRequest);
      return { worker, own };
    }),
  );
  const coffee = findProjection('coffee');
  const pids = {
    store: store.pid,
    clickhouse: engine.pid,
    ...Object.fromEntries(processes.map(({ worker }, index) => [`projectors ${index + 1}`, worker.pid])),
  };
  return {
    name,
    async slice() {
      const generation = nextGeneration();
      await ensureSchema(projecting.writer, [{ projection: coffee, generation, partitions: of }]);
      const slice = await measureSlice(pids, async () => {
        await Promise.all(
          processes.map(({ worker, own }) =>
            worker.request({
              step: 'run',
              generation,
              of,
              partitions: own,
              upTo: log.upTo,
            } satisfies PartitionWorkerRequest),
          ),
        );
        return { units: log.items };
      });
      await projecting.drop(coffee, generation);
      return slice;
    },
  };
};

export const partitionsScenario: Scenario = {
  name: 'partitions',
  about:
    'projection of plays and detections of four networks: four partitions in two processes, in one, and one partition',
  async run(rig, { events: items, pairs }) {
    const store = openEventStore({ url: (await rig.eventStore()).url });
    rig.onClose(() => store.close());
    const log = { upTo: await fill(store, items), items };
    let generation = 1;
    const nextGeneration = () => (generation += 1);
    const all = Array.from({ length: partitions }, (_, index) => index);
    const [first, second] = [all.slice(0, partitions / 2), all.slice(partitions / 2)];
    const open = (name: string, of: number, members: readonly Member[]) =>
      openSide(rig, name, of, members, log, nextGeneration);
    const sides = [
      await open('one partition', 1, [{ owner: 'whole', own: [0] }]),
      await open('one process', partitions, [{ owner: 'one', own: all }]),
      await open('two processes', partitions, [
        { owner: 'two a', own: first },
        { owner: 'two b', own: second },
      ]),
    ];
    const blocks = await alternate({ sides, pairs: Math.max(2, Math.floor(pairs / 6)) });
    const slicesOf = (name: string) => blocks.flatMap((block) => block[name]!);
    const times = { unit: 'µs', system: 'two processes', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'wall an event, two processes', baseline: 'one process', cost: wallPerUnit }),
        compare(blocks, { ...times, name: 'CPU an event, two processes', baseline: 'one process', cost: cpuPerUnit() }),
        compare(blocks, {
          ...times,
          name: 'wall an event, four partitions',
          system: 'one process',
          baseline: 'one partition',
          cost: wallPerUnit,
        }),
      ],
      figures: sides.flatMap(({ name }) => {
        const whole = mergeSlices(slicesOf(name));
        const cpuUs = Object.values(whole.cpuUs).reduce((sum, each) => sum + each, 0);
        return [
          { name, value: 1_000_000 / median(slicesOf(name).map(wallPerUnit)), unit: 'events/s' },
          { name: `${name}: cores in use`, value: cpuUs / (whole.wallMs * 1_000), unit: 'cores' },
          { name: `${name}: CPU of ClickHouse`, value: cpuPerUnit('clickhouse')(whole), unit: 'µs an event' },
        ];
      }),
    };
  },
};
