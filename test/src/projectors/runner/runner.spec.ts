import { coffeeDataset } from '@popsvc/read-models/datasets';
import { deletePartList, listParkedEvents } from '@popsvc/platform/postgres';
import { LeaseLost } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { Crash, crashingStores, crashPoints } from './crashing-stores.fixture.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();

describe('the runner', () => {
  const readModels = reusableReadModels();
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'], readModels });
    await system.register(smallRegistry);
  });
  afterEach(() => system.close());

  const traffic = async () => {
    for (const [index, eventId] of ['A', 'B', 'C', 'D'].entries())
      await system.play({ eventId, playedAt: at(index * 10), durationMs: 10_000 });
    const person = { detectionId: 'person', startedAt: at(6), endedAt: at(31.4), watches: [] };
    await system.detection(person);
    await system.detection({ ...person, revision: 1, endedAt: at(16) });
    await system.play({ eventId: 'B', playedAt: at(50) });
  };
  const presence = async () =>
    (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['DURATION_IMPRESSION']]);
  const right = [
    ['A', 4],
    ['B', 6],
    ['C', 0],
    ['D', 0],
  ];

  it('continues after a crash at every write', async function () {
    await traffic();
    let crashes = 0;
    for (const point of crashPoints()) {
      const crashed = await system
        .projectOne('coffee', crashingStores(system, ...point))
        .then(() => false)
        .catch((error: unknown) => {
          if (error instanceof Crash) return true;
          throw error;
        });
      if (!crashed) break;
      crashes += 1;
      await system.writer.run('OPTIMIZE TABLE detections_g1 FINAL');
      await system.writer.run('OPTIMIZE TABLE plays_g1 FINAL');
    }
    expect(crashes).to.be.greaterThan(5);
    expect(await presence()).to.deep.equal(right);
  });

  it('writes the same rows when every event is a batch and is folded twice', async () => {
    await traffic();
    const alone = { limits: { rows: 1, bytes: 1, ageMs: 1 } };
    await system.projectOne('coffee', alone);
    expect(await presence()).to.deep.equal(right);
    await system.postgres.query(`UPDATE checkpoints SET position = 0`);
    await system.projectOne('coffee', alone);
    expect(await presence()).to.deep.equal(right);
  });

  it('starts from the lower of the two checkpoints', async () => {
    await traffic();
    await system.projectOne('coffee');
    await system.writer.run('TRUNCATE TABLE progress_coffee_g1');
    await system.writer.run('TRUNCATE TABLE coffee_g1');
    // With the list, the empty table would be damaged.
    await deletePartList(system.postgres, { projection: 'coffee', generation: 1 });
    await system.projectOne('coffee');
    expect(await presence()).to.deep.equal(right);
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
    expect(await presence()).to.deep.equal(right);
  });

  it('refuses to continue with another log', async () => {
    await traffic();
    await system.projectOne('coffee');
    await system.postgres.query(`UPDATE checkpoints SET log_id = 'another'`);
    const refused = await system.projectOne('coffee').then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.include('was projected from another log');
  });

  it('parks an event that cannot be read, and projects the others', async () => {
    await system.append('pop-1.acme.20260820', 'PlaysRecorded', { plays: [{ eventId: 7 }] });
    await system.append('pop-1.acme.20260820', 'PlayImagined', { of: 'a newer release' });
    await traffic();
    await system.projectOne('coffee');
    expect(await presence()).to.deep.equal(right);
    const parked = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 10 });
    expect(parked.map(({ type, raw }) => [type, (JSON.parse(raw) as { data: unknown }).data])).to.deep.equal([
      ['PlaysRecorded', { eventId: 7 }],
    ]);
  });
});
