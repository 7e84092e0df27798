import { findDamagedTables, inTransaction, migrate, openPostgres } from '@popsvc/platform/postgres';
import { DeadlineExceeded } from '@popsvc/platform/runtime';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

describe('the search for damaged tables', () => {
  it('leaves no statement in PostgreSQL when its time is over', async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    const postgres = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
    const failureOf = (timeoutMs: number) => findDamagedTables(postgres, timeoutMs).catch((thrown: unknown) => thrown);
    try {
      await migrate(postgres);
      expect(await findDamagedTables(postgres, 60_000)).to.deep.equal([]);
      expect(await failureOf(0)).to.be.instanceOf(DeadlineExceeded);
      await inTransaction(postgres, async (client) => {
        await client.query('LOCK TABLE leases IN ACCESS EXCLUSIVE MODE');
        // query_canceled: the statement timeout, which is shorter than the lock timeout.
        expect(await failureOf(500)).to.include({ code: '57014' });
        const { rows } = await client.query(
          "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()",
        );
        expect(rows).to.deep.equal([]);
      });
    } finally {
      await postgres.end();
    }
  });
});
