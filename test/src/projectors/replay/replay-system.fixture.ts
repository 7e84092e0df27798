import { setTimeout as sleep } from 'node:timers/promises';
import { probeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import {
  registerProjection,
  findReplay,
  planReplay,
  planRollback,
  readGenerations,
  type ReplayRecord,
  type ReplaySource,
} from '@popsvc/platform/postgres';
import { runReplay, dropGenerations, type ReplayDependencies } from '@popsvc/projectors/engine/replay';
import { createStatusRegistry, superviseProjections } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
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

const at = (seconds: number) => instantOf(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1_000);

/** Starts a system in which every live and kept generation is run as by the service. */
export const startReplaySystem = async (options: Pick<TestSystemOptions, 'of'> = {}): Promise<ReplaySystem> => {
  const system = await startTestSystem(options);
  const { postgres, writer, parts } = system;
  const projections = allProjections.filter(({ name }) => options.of?.includes(name) ?? true);
  for (const { name, version } of projections) await registerProjection(postgres, name, version);
  const stop = new AbortController();
  const running = {
    ...parts,
    owner: 'supervisor',
    postgres,
    statusRegistry: createStatusRegistry(),
    projections,
  };
  const working = superviseProjections(running, stop.signal);

  const partsOf = (owner: string): ReplayDependencies => ({
    ...parts,
    postgres,
    owner,
    projections,
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
        await waitUntil(
          async () => (await parts.checkpoints.read({ projection: name, generation })).position,
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
      const from = round * 100;
      await system.play({ eventId: `play-${round}`, playedAt: at(from) });
      await system.play({ eventId: `play-${round}`, playedAt: at(from) });
      await system.detection({
        detectionId: `seen-${round}`,
        startedAt: at(from + 2),
        endedAt: at(from + 8),
        watches: [{ startedAt: at(from + 3), endedAt: at(from + 6) }],
      });
      const receivedMs = Date.now() - 3_600_000;
      const [now, then] = [instantOf(receivedMs + from * 1_000), instantOf(receivedMs + from * 1_000 - 900_000)];
      await system.heartbeat({ deviceId: 4, at: now }, { receivedAt: now });
      await system.heartbeat({ feederId: 5, at: then }, { receivedAt: now });
      await system.interval({ startedAt: at(from), endedAt: at(from + 50) });
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
