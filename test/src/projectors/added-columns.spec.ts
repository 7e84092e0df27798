import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';

const createSchema = ({ writer }: TestSystem) =>
  ensureSchema(
    writer,
    allProjections.map((projection) => ({ projection, generation: 1 })),
  );

describe('tables of an earlier build', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await system.register(smallRegistry);
    await system.play({ eventId: 'before' });
    await system.project();
  });
  after(() => system.close());

  it('get new columns, keep their rows and continue', async () => {
    const { writer } = system;
    for (const column of ['schema_version', 'job_id', 'job_row'])
      await writer.run(`ALTER TABLE plays_g1 DROP COLUMN ${column} SETTINGS mutations_sync = 2`);
    await createSchema(system);
    await createSchema(system);
    await system.play({ eventId: 'after' });
    await system.project();
    const rows = await writer.rows<Record<string, unknown>>(
      'SELECT event_id, schema_version, job_id, toUInt32(job_row) AS row FROM plays_live ORDER BY pos',
    );
    expect(rows.map((row) => Object.values(row))).to.deep.equal([
      ['before', '', '', 0],
      ['after', '', '', 0],
    ]);
    const [{ about }] = (await writer.rows<{ about: string }>(
      `SELECT comment AS about FROM system.columns
       WHERE database = currentDatabase() AND table = 'plays_g1' AND name = 'job_id'`,
    )) as [{ about: string }];
    expect(about).to.include('Bulk job');
  });

  it('of the registry get values in new columns from earlier events', async () => {
    const { writer } = system;
    await system.register({ devices: [{ ...smallRegistry.devices[0], retired: true }] });
    await system.project();
    await writer.run('ALTER TABLE registry_devices_g1 DROP COLUMN retired SETTINGS mutations_sync = 2');
    await createSchema(system);
    await system.projectOne('registry');
    const rows = await writer.rows<{ retired: number }>('SELECT retired FROM registry_devices_live ORDER BY device_id');
    expect(rows.map(({ retired }) => retired)).to.include(1);
  });
});
