import { inTransaction, openRecords, type Records } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/runtime';
import { expect } from 'chai';
import { until } from '../support/partner.ts';
import { postgres } from '../support/engines.ts';

const log = createLog('test', 'silent');

describe('a connection to PostgreSQL that is lost', () => {
  let records: Records;
  before(async () => {
    records = openRecords({ url: await (await postgres()).freshDatabase(), log, name: 'test' });
  });
  after(() => records.end());

  const isThere = async (pid: number) =>
    (await records.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 1;

  it('in the middle of a transaction fails that alone', async () => {
    const broken = inTransaction(records, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const { pid } = rows[0]!;
      await records.query('SELECT pg_terminate_backend($1)', [pid]);
      // It is told while no statement of it runs.
      await until(
        () => isThere(pid),
        (seen) => !seen,
      );
      await client.query('SELECT 1');
    });
    expect(String(await broken.catch((error: unknown) => error))).to.match(/terminat|not queryable/);
    expect((await records.query<{ one: number }>('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
  });
});
