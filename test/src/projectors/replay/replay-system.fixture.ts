import { setTimeout as sleep } from 'node:timers/promises';
import { probeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import {
  recordPartitionCount,
  registerProjection,
  findReplay,
  planReplay,
  planRollback,
  readGenerations,
  type ReplayRecord,
  type ReplaySource,
} from '@popsvc/platform/postgres';
import { runReplay, dropGenerations, type ReplayDependencies } from '@popsvc/projectors/engine/replay';
import {
  createStatusRegistry,
  listGenerationPartitions,
  superviseProjections,
  partitionKeyOf,
} from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { countPartitions, ensureSchema } from '@popsvc/read-models/generations';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';

export const projectionNamed = (wanted: string) => allProjections.find(({ name }) => name === wanted)!;

export interface ReplaySystem extends TestSystem {
  /** The dependencies of a separate process. */
  dependenciesOf(owner: string): ReplayDependencies;
  /** Appends events for every projection; the round is part of their ids. */
  appendRound(round: number): Promise<void>;
  plan(name: string, verify?: boolean, source?: ReplaySource): Promise<ReplayRecord>;
  planRollback(name: string): Promise<ReplayRecord>;
  /** Runs a replay to its end, or until its process is killed. */
  runReplay(replay: ReplayRecord, parts?: ReplayDependencies, signal?: AbortSignal): Promise<ReplayRecord>;
  /** Waits until these generations contain every event of the log. */
  waitUntilCaughtUp(name: string, readGenerationStates: readonly number[]): Promise<void>;
  /** Plans and runs a replay. */
  replay(name: string, verify?: boolean): Promise<ReplayRecord>;
  findReplay(id: number): Promise<ReplayRecord>;
  /** States by generation. */
  generations(name: string): Promise<Record<number, string>>;
  listTables(name: string, generation: number): Promise<string[]>;
  /** Expires the leases of killed processes. */
  expireLeases(): Promise<void>;
}

/** Whose events a round appends. */
interface EventOrigin {
  readonly network: number;
  readonly vendor: string;
  readonly screenId: string;
  readonly deviceId: number;
  readonly feederId: number;
}

const at = (seconds: number) => instantOf(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1_000);

/** A network in another partition than that of `smallRegistry`. */
const otherNetwork = {
  networks: [{ id: 12, name: 'Hill Media', timezone: 'Europe/Paris' }],
  vendors: [{ code: 'other', name: 'Other player', network: 12 }],
  sites: [{ id: 12, name: 'Hilltop', network: 12, timezone: 'Europe/Paris' }],
  locations: [{ id: 13, name: 'First floor', site: 12 }],
  devices: [{ id: 14, name: 'Stairs', location: 13, screen_ids: ['screen-11'] }],
  feeders: [{ id: 15, name: 'Stairs feed', device: 14 }],
};

export interface ReplaySystemOptions extends Pick<TestSystemOptions, 'of'> {
  /** Number of partitions of split projections; default 1. With more than one, each round has events of networks 1 and 12. */
  readonly partitions?: number;
}

/** Starts a system in which every live and kept generation is run as by the service. */
export const startReplaySystem = async ({
  partitions = 1,
  ...options
}: ReplaySystemOptions = {}): Promise<ReplaySystem> => {
  const system = await startTestSystem(options);
  const { postgres, writer, parts } = system;
  const projections = allProjections.filter(({ name }) => options.of?.includes(name) ?? true);
  for (const { name, version } of projections) await registerProjection(postgres, name, version);
  if (partitions > 1) {
    await recordPartitionCount(postgres, partitions);
    const live = allProjections.map((projection) => ({
      projection,
      generation: 1,
      partitions: countPartitions(projection, partitions),
    }));
    await ensureSchema(writer, live);
  }
  const stop = new AbortController();
  const running = {
    ...parts,
    owner: 'supervisor',
    postgres,
    statusRegistry: createStatusRegistry(),
    projections,
    partitions,
  };
  const working = superviseProjections(running, stop.signal);

  const partsOf = (owner: string): ReplayDependencies => ({
    ...parts,
    postgres,
    owner,
    projections,
    partitions,
    keepMs: 3_600_000,
  });
  const find = async (id: number) => (await findReplay(postgres, id))!;
  const run: ReplaySystem['runReplay'] = async (replay, given = partsOf('one'), signal = stop.signal) => {
    await runReplay(given, replay, projectionNamed(replay.projection), signal);
    return find(replay.id);
  };
  const plan: ReplaySystem['plan'] = async (name, verify = false, source = 'log') => {
    const { version } = projectionNamed(name);
    const from = { source, reason: 'the test chooses it' };
    return (await planReplay(postgres, { projection: name, version, verify, from }))!;
  };
  await system.register(smallRegistry);
  if (partitions > 1) await system.register(otherNetwork);
  const appendEvents = async (round: number, { network, vendor, screenId, deviceId, feederId }: EventOrigin) => {
    const from = round * 100;
    const source = { network, vendor };
    const play = { eventId: `play-${round}`, screenId, playedAt: at(from) };
    await system.play(play, source);
    await system.play(play, source);
    await system.detection(
      {
        detectionId: `seen-${round}`,
        deviceId,
        startedAt: at(from + 2),
        endedAt: at(from + 8),
        watches: [{ startedAt: at(from + 3), endedAt: at(from + 6) }],
      },
      source,
    );
    const receivedMs = Date.now() - 3_600_000;
    const [now, then] = [instantOf(receivedMs + from * 1_000), instantOf(receivedMs + from * 1_000 - 900_000)];
    await system.heartbeat({ deviceId, at: now }, { ...source, receivedAt: now });
    await system.heartbeat({ feederId, at: then }, { ...source, receivedAt: now });
    await system.interval({ deviceId, startedAt: at(from), endedAt: at(from + 50) }, source);
  };
  return {
    ...system,
    dependenciesOf: partsOf,
    plan,
    runReplay: run,
    findReplay: find,
    async waitUntilCaughtUp(name, generations) {
      const head = await system.append(probeStream('test'), 'ProbeEmitted', {
        service: 'test',
        emittedAt: new Date().toISOString(),
      });
      for (const generation of generations)
        for (const target of listGenerationPartitions({ projection: projectionNamed(name), generation }, partitions))
          await waitUntil(
            async () => (await parts.checkpoints.read(partitionKeyOf(target))).position,
            (position) => position >= head,
          );
    },
    replay: async (name, verify) => run(await plan(name, verify)),
    async planRollback(name) {
      const planned = await planRollback(postgres, name);
      if (typeof planned === 'string') throw new Error(planned);
      return planned;
    },
    async appendRound(round) {
      await appendEvents(round, { network: 1, vendor: 'acme', screenId: 'screen-1', deviceId: 4, feederId: 5 });
      if (partitions > 1)
        await appendEvents(round, { network: 12, vendor: 'other', screenId: 'screen-11', deviceId: 14, feederId: 15 });
    },
    async generations(name) {
      const known = (await readGenerations(postgres)).filter(({ projection }) => projection === name);
      return Object.fromEntries(known.map(({ generation, state }) => [generation, state]));
    },
    async listTables(name, generation) {
      const tables = await writer.rows<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%\\\\_g${generation}%'`,
      );
      const own = new Set<string>(projectionNamed(name).tables.map((table) => table.name));
      return tables.map(({ name: table }) => table).filter((table) => own.has(table.split('_g')[0]!));
    },
    async expireLeases() {
      await postgres.query(`UPDATE leases SET expires_at = now() WHERE owner NOT LIKE 'supervisor%'`);
      await sleep(10);
    },
    async close() {
      stop.abort();
      await working;
      await system.close();
    },
  };
};

export { dropGenerations };
