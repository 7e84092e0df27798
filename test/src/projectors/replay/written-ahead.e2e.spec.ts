import { setTimeout as sleep } from 'node:timers/promises';
import { pauseProjection } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** After a restart of ClickHouse the live generation folds the last minute of the log again, which its tables may contain already. */
describe('a replay of a live generation that folds events again', function () {
  let system: ReplaySystem;
  let round = 0;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'watcher-summary', 'uptime', 'status'] });
  });
  after(() => system.close());

  const readPosition = async (projection: string, generation: number) =>
    (await system.parts.checkpoints.read({ projection, generation })).position;
  const appendAndProject = async (name: string): Promise<bigint> => {
    await system.appendRound((round += 1));
    await system.waitUntilCaughtUp(name, [1]);
    return readPosition(name, 1);
  };
  const isLeaseFree = async (name: string) => {
    const { rows } = await system.postgres.query<{ free: boolean }>(
      `SELECT expires_at <= now() AS free FROM leases WHERE projection = $1 AND generation = 1`,
      [name],
    );
    return rows[0]!.free;
  };
  /** Moves the checkpoint back by one round and pauses the projection. Returns the position before. */
  const moveBack = async (name: string): Promise<bigint> => {
    const before = await appendAndProject(name);
    const was = await appendAndProject(name);
    await pauseProjection(system.postgres, name, true);
    await waitUntil(
      () => isLeaseFree(name),
      (is) => is,
    );
    await system.postgres.query('UPDATE checkpoints SET position = $2 WHERE projection = $1', [
      name,
      before.toString(),
    ]);
    return was;
  };

  for (const [name, verify] of [
    ['uptime', true],
    ['status', false],
  ] as const)
    it(`${verify ? 'compares both' : 'switches readers'} once the live generation has caught up with its tables`, async () => {
      const was = await moveBack(name);
      const { id } = await system.plan(name, verify);
      const running = system.runReplay(await system.findReplay(id));
      await waitUntil(
        () => system.findReplay(id),
        ({ state }) => state === 'catching_up',
      );
      await sleep(500);
      expect(await system.findReplay(id)).to.include({ state: 'catching_up', error: null });
      await pauseProjection(system.postgres, name, false);
      expect(await running).to.deep.include({ state: 'done', verified: verify, error: null, differences: [] });
      expect((await readPosition(name, 2)) >= was).to.equal(true);
    });

  it('accepts the live generation as it is when it does not move', async () => {
    await moveBack('watcher-summary');
    const parts = { ...system.dependenciesOf('one'), settleTimeoutMs: 300 };
    const { state, error } = await system.runReplay(await system.plan('watcher-summary', true), parts);
    expect(state).to.equal('failed');
    expect(error).to.include('other rows than the live one');
    const replay = await system.plan('watcher-summary');
    expect(await system.runReplay(replay, parts)).to.include({ state: 'done', error: null });
  });
});
