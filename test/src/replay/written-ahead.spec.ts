import { setTimeout as sleep } from 'node:timers/promises';
import { pauseProjection } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type Replaying, replaying } from './replaying.fixture.ts';

/** As after a restart of ClickHouse: what is live goes over the last minutes of the log again, and its tables hold them already. */
describe('a replay of a live generation that folds events again', function () {
  this.timeout(60_000);
  let system: Replaying;
  let round = 0;
  before(async () => {
    system = await replaying();
  });
  after(() => system.close());

  const standsAt = async (projection: string, generation: number) =>
    (await system.parts.checkpoints.read({ projection, generation })).position;
  const toldOneMore = async (name: string): Promise<bigint> => {
    await system.tell((round += 1));
    await system.caughtUp(name, [1]);
    return standsAt(name, 1);
  };
  const nobodyWrites = async (name: string) => {
    const { rows } = await system.postgres.query<{ free: boolean }>(
      `SELECT expires_at <= now() AS free FROM leases WHERE projection = $1 AND generation = 1`,
      [name],
    );
    return rows[0]!.free;
  };
  /** Puts it back to before what was told last, and keeps it there. Where it was. */
  const putBack = async (name: string): Promise<bigint> => {
    const before = await toldOneMore(name);
    const was = await toldOneMore(name);
    await pauseProjection(system.postgres, name, true);
    await waitUntil(
      () => nobodyWrites(name),
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
      const was = await putBack(name);
      const { id } = await system.plan(name, verify);
      const conducting = system.conduct(await system.found(id));
      await waitUntil(
        () => system.found(id),
        ({ state }) => state === 'catching_up',
      );
      await sleep(500);
      expect(await system.found(id)).to.include({ state: 'catching_up', error: null });
      await pauseProjection(system.postgres, name, false);
      expect(await conducting).to.deep.include({ state: 'done', verified: verify, error: null, differences: [] });
      expect((await standsAt(name, 2)) >= was).to.equal(true);
    });

  it('accepts the live generation as it is when it does not move', async () => {
    await putBack('watcher-summary');
    const parts = { ...system.partsOf('one'), settleTimeoutMs: 300 };
    const { state, error } = await system.conduct(await system.plan('watcher-summary', true), parts);
    expect(state).to.equal('failed');
    expect(error).to.include('other rows than the live one');
    const replay = await system.plan('watcher-summary');
    expect(await system.conduct(replay, parts)).to.include({ state: 'done', error: null });
  });
});
