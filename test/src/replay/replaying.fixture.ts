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
} from '@popsvc/platform/postgres';
import { runReplay, dropGenerations, type ReplayDependencies } from '@popsvc/projectors/engine/replay';
import { createStatusRegistry, superviseProjections } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';

export const projectionNamed = (wanted: string) => allProjections.find(({ name }) => name === wanted)!;

export interface Replaying extends TestSystem {
  /** As a process of its own has them. */
  partsOf(owner: string): ReplayDependencies;
  /** Something of everything that is projected; `round` tells what is told apart. */
  tell(round: number): Promise<void>;
  plan(name: string, verify?: boolean): Promise<ReplayRecord>;
  planRollback(name: string): Promise<ReplayRecord>;
  /** Conducts a replay to its end, or until the parts die. */
  conduct(replay: ReplayRecord, parts?: ReplayDependencies, signal?: AbortSignal): Promise<ReplayRecord>;
  /** Until these generations have handled all that is in the log. */
  caughtUp(name: string, generations: readonly number[]): Promise<void>;
  /** Plans and conducts. */
  replay(name: string, verify?: boolean): Promise<ReplayRecord>;
  found(id: number): Promise<ReplayRecord>;
  /** State by generation. */
  generations(name: string): Promise<Record<number, string>>;
  tablesOf(name: string, generation: number): Promise<string[]>;
  /** Whoever held leases is dead. */
  forgetLeases(): Promise<void>;
}

const at = (seconds: number) => instantOf(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1_000);

/** The log and the read models, with every generation that is live or kept kept up as the service does. */
export const replaying = async (): Promise<Replaying> => {
  const system = await startTestSystem();
  const { postgres, writer, parts } = system;
  for (const { name, version } of allProjections) await registerProjection(postgres, name, version);
  const stop = new AbortController();
  const running = { ...parts, owner: 'crew', postgres, board: createStatusRegistry(), projections: allProjections };
  const working = superviseProjections(running, stop.signal);

  const partsOf = (owner: string): ReplayDependencies => ({
    ...parts,
    postgres,
    owner,
    projections: allProjections,
    keepMs: 3_600_000,
  });
  const found = async (id: number) => (await findReplay(postgres, id))!;
  const conduct: Replaying['conduct'] = async (replay, given = partsOf('one'), signal = stop.signal) => {
    await runReplay(given, replay, projectionNamed(replay.projection), signal);
    return found(replay.id);
  };
  const plan: Replaying['plan'] = async (name, verify = false) => {
    const { version } = projectionNamed(name);
    return (await planReplay(postgres, { projection: name, version, verify }))!;
  };
  await system.register(smallRegistry);
  return {
    ...system,
    partsOf,
    plan,
    conduct,
    found,
    async caughtUp(name, generations) {
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
    replay: async (name, verify) => conduct(await plan(name, verify)),
    async planRollback(name) {
      const planned = await planRollback(postgres, name);
      if (typeof planned === 'string') throw new Error(planned);
      return planned;
    },
    async tell(round) {
      const from = round * 100;
      await system.play({ eventId: `play-${round}`, playedAt: at(from) });
      await system.play({ eventId: `play-${round}`, playedAt: at(from) });
      await system.detection({
        detectionId: `seen-${round}`,
        startedAt: at(from + 2),
        endedAt: at(from + 8),
        watches: [{ startedAt: at(from + 3), endedAt: at(from + 6) }],
      });
      const heard = Date.now() - 3_600_000;
      const [now, then] = [instantOf(heard + from * 1_000), instantOf(heard + from * 1_000 - 900_000)];
      await system.heartbeat({ deviceId: 4, at: now }, { receivedAt: now });
      await system.heartbeat({ feederId: 5, at: then }, { receivedAt: now });
      await system.interval({ startedAt: at(from), endedAt: at(from + 50) });
    },
    async generations(name) {
      const known = (await readGenerations(postgres)).filter(({ projection }) => projection === name);
      return Object.fromEntries(known.map(({ generation, state }) => [generation, state]));
    },
    async tablesOf(name, generation) {
      const tables = await writer.rows<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%\\\\_g${generation}%'`,
      );
      const own = new Set<string>(projectionNamed(name).tables.map((table) => table.name));
      return tables.map(({ name: table }) => table).filter((table) => own.has(table.split('_g')[0]!));
    },
    async forgetLeases() {
      await postgres.query(`UPDATE leases SET expires_at = now() WHERE owner NOT LIKE 'crew%'`);
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
