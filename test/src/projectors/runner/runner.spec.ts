import { deletePartList, listParkedEvents } from '@popsvc/platform/postgres';
import { LeaseLost } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { crashUntilDone } from './crashing-stores.fixture.ts';
import { appendTraffic, readPresence, rightPresence } from './traffic.fixture.ts';

describe('the runner', () => {
  const readModels = reusableReadModels();
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'], readModels });
    await system.register(smallRegistry);
  });
  afterEach(() => system.close());

  const traffic = () => appendTraffic(system);
  const presence = () => readPresence(system);

  // A crash at every write is in crash-at-every-write.long.e2e.spec.ts.
  it('continues after a crash at every third write', async function () {
    this.timeout(600_000);
    await traffic();
    expect(await crashUntilDone(system, 3)).to.be.greaterThan(5);
    expect(await presence()).to.deep.equal(rightPresence);
  });

  it('writes the same rows when every event is a batch and is folded twice', async () => {
    await traffic();
    const alone = { limits: { rows: 1, bytes: 1, ageMs: 1 } };
    await system.projectOne('coffee', alone);
    expect(await presence()).to.deep.equal(rightPresence);
    await system.postgres.query(`UPDATE checkpoints SET position = 0`);
    await system.projectOne('coffee', alone);
    expect(await presence()).to.deep.equal(rightPresence);
  });

  it('starts from the lower of the two checkpoints', async () => {
    await traffic();
    await system.projectOne('coffee');
    await system.writer.run('TRUNCATE TABLE progress_coffee_g1');
    await system.writer.run('TRUNCATE TABLE coffee_g1');
    // With the list, the empty table would be damaged.
    await deletePartList(system.postgres, { projection: 'coffee', generation: 1 });
    await system.projectOne('coffee');
    expect(await presence()).to.deep.equal(rightPresence);
  });

  it('does not run without the lease, and a lost lease moves no checkpoint', async () => {
    const key = { projection: 'coffee', generation: 1 };
    const epoch = await system.parts.leases.acquire(key, 'another process', 60_000);
    const refused = await system.projectOne('coffee').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(LeaseLost);
    await system.parts.leases.release(key, epoch!);
    await traffic();
    const zombie = { ...key, epoch: epoch!, previous: 0n, to: 1n, logId: 'x', parked: [] };
    await system.projectOne('coffee');
    expect(await system.parts.checkpoints.advance(zombie)).to.equal(false);
    expect(await presence()).to.deep.equal(rightPresence);
  });

  it('refuses to continue with another log, and lists this once', async () => {
    await traffic();
    await system.projectOne('coffee');
    await system.postgres.query(`UPDATE checkpoints SET log_id = 'another'`);
    for (const attempt of [1, 2]) {
      const refused = await system.projectOne('coffee').then(
        () => '',
        (error: unknown) => String(error),
      );
      expect(refused, `attempt ${attempt}`).to.include('was projected from another log');
    }
    const { rows } = await system.postgres.query<{ change: string }>('SELECT change FROM log_changes');
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]!.change).to.match(/^coffee generation 1 partition 0 is ahead of the log at \d+$/);
  });

  it('parks an event that cannot be read, and projects the others', async () => {
    await system.append('pop-1.acme.20260820', 'PlaysRecorded', { plays: [{ eventId: 7 }] });
    await system.append('pop-1.acme.20260820', 'PlayImagined', { of: 'a newer release' });
    await traffic();
    await system.projectOne('coffee');
    expect(await presence()).to.deep.equal(rightPresence);
    const parked = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 10 });
    expect(parked.map(({ type, raw }) => [type, (JSON.parse(raw) as { data: unknown }).data])).to.deep.equal([
      ['PlaysRecorded', { eventId: 7 }],
    ]);
  });
});
