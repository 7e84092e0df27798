import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createApiKey } from '@popsvc/http-kit/auth';
import { compareMigrations, listApiKeys, migrate, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { sharedPostgres } from '../support/engines.ts';
import { temporaryFolder } from '@popsvc/tools/rig';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';

const run = promisify(execFile);
const log = createLog('test', 'silent');
const guide = 'docs/guides/operators/repair.md';

describeIfInstalled('pg_dump', isInstalled('pg_dump'), 'backup of PostgreSQL as in the guide for operators', () => {
  it('restores everything while the service is stopped', async () => {
    const [DATABASE_URL, cwd] = [await (await sharedPostgres()).freshDatabase(), await temporaryFolder('backup')];
    const postgres = openPostgres({ url: DATABASE_URL, log, name: 'test' });
    await migrate(postgres);
    const { record } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
    const sh = async (language: string) => {
      const [block = '', ...more] = blocksOf(guide, language);
      expect(more, language).to.deep.equal([]);
      await run('sh', ['-euc', block], { cwd, env: { PATH: process.env['PATH'], DATABASE_URL } });
    };

    await sh('sh backup');
    await createApiKey(postgres, { vendor: 'other', networkId: 1 });
    await postgres.query('DROP TABLE leases');
    await sh('sh restore');

    expect((await listApiKeys(postgres)).map((key) => key.id)).to.deep.equal([record.id]);
    expect(await compareMigrations(postgres)).to.deep.equal({ due: [], unknown: [] });
    await postgres.query('SELECT 1 FROM leases');
    await postgres.end();
  });
});
