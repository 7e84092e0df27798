import { inTransaction, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');

describe('a lost connection to PostgreSQL', () => {
  let postgres: Postgres;
  before(async () => {
    postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(), log, name: 'test' });
  });
  after(() => postgres.end());

  const isThere = async (pid: number) =>
    (await postgres.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 1;

  it('fails only the transaction that used it', async () => {
    const broken = inTransaction(postgres, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const { pid } = rows[0]!;
      await postgres.query('SELECT pg_terminate_backend($1)', [pid]);
      // The connection reports the loss while none of its statements runs.
      await waitUntil(
        () => isThere(pid),
        (seen) => !seen,
      );
      await client.query('SELECT 1');
    });
    expect(String(await broken.catch((error: unknown) => error))).to.match(/terminated|terminating|not queryable/);
    expect((await postgres.query<{ one: number }>('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
  });
});
