import { pauseProjection } from '@popsvc/platform/postgres';
import { createProjectionReader } from '@popsvc/ops-api/server';
import { allProjections, logFollowers } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { readTables } from '../rebuild.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

describe('a replay of a projection that does not run', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee', 'uptime', 'status'] });
    await system.appendRound(1);
  });
  after(() => system.close());

  const isLeaseFree = async () => {
    const { rows } = await system.postgres.query<{ free: boolean }>(
      `SELECT expires_at <= now() AS free FROM leases WHERE projection = 'uptime' AND generation = 1`,
    );
    return rows[0]!.free;
  };

  it('advances a paused projection to its position and no further', async () => {
    await system.waitUntilCaughtUp('uptime', [1]);
    await pauseProjection(system.postgres, 'uptime', true);
    await waitUntil(isLeaseFree, (is) => is);
    await system.appendRound(2);
    expect(await system.replay('uptime', true)).to.include({ state: 'done', verified: true, error: null });
    const rows = await readTables(system, 2, 'uptime');
    expect(rows['heartbeats']).to.have.length(2);
    const { position } = await system.parts.checkpoints.read({ projection: 'uptime', generation: 2 });
    const listed = await createProjectionReader({
      store: system.parts.store,
      postgres: system.postgres,
      declarations: allProjections,
      followers: logFollowers,
    })();
    expect(listed.find(({ name }) => name === 'uptime')).to.include({
      generation: 2,
      state: 'paused',
      position: position.toString(),
    });
    expect(position > 0n).to.equal(true);
    await pauseProjection(system.postgres, 'uptime', false);
    await system.waitUntilCaughtUp('uptime', [1, 2]);
    expect((await readTables(system, 2, 'uptime'))['heartbeats']).to.have.length(4);
  });

  it('repairs a projection that was built from another log', async () => {
    await system.waitUntilCaughtUp('status', [1]);
    await pauseProjection(system.postgres, 'status', true);
    await system.postgres.query(
      `UPDATE checkpoints SET log_id = 'another', position = position * 1000 WHERE projection = 'status'`,
    );
    await pauseProjection(system.postgres, 'status', false);
    // The projection does not read the last event of the log.
    await system.append('unread-1', 'Unread', {});
    expect(await system.replay('status')).to.include({ state: 'done', to: 2 });
    await system.appendRound(3);
    await system.waitUntilCaughtUp('status', [2]);
    expect((await readTables(system, 2, 'status'))['device_liveness']).to.not.have.length(0);
  });

  for (const name of ['coffee', 'registry'])
    it(`fails when ${name} was built so far from another log`, async () => {
      const { id, to } = await system.plan(name);
      await system.postgres.query(
        `INSERT INTO checkpoints (projection, generation, position, log_id) VALUES ($1, $2, $3, 'another')`,
        [name, to, name === 'coffee' ? 1_000 : 10_000_000],
      );
      const stop = AbortSignal.timeout(10_000);
      const { state, error } = await system.runReplay(await system.findReplay(id), system.dependenciesOf('one'), stop);
      expect(state).to.equal('failed');
      expect(error).to.include('another log').and.to.include('request the replay again');
      expect(await system.generations(name)).to.include({ 1: 'live', [to]: 'dropping' });
    });

  it('fails at an event that cannot be projected, and names it', async () => {
    await system.append('heartbeat-1.acme.20260820', 'HeartbeatsRecorded', { heartbeats: [{ at: 'never' }] });
    await system.waitUntilCaughtUp('uptime', [2]);
    const { state, error } = await system.replay('uptime');
    expect(state).to.equal('failed');
    expect(error).to.include('HeartbeatsRecorded').and.to.include('heartbeat-1.acme.20260820');
    expect(await system.generations('uptime')).to.include({ 1: 'kept', 2: 'live' });
  });
});
