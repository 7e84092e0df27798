import {
  claimPartToCheck,
  createLeaseStore,
  migrate,
  openPostgres,
  registerProjection,
  storePartList,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

describe('the list of the parts of a generation', () => {
  it('has a part checked again after its fingerprint changed', async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    const postgres = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
    try {
      await migrate(postgres);
      await registerProjection(postgres, 'coffee', 1);
      const key = { projection: 'coffee', generation: 1 };
      await postgres.query(
        "INSERT INTO checkpoints (projection, generation, position, log_id) VALUES ('coffee', 1, 0, 'log')",
      );
      const epoch = (await createLeaseStore(postgres).acquire(key, 'test', 60_000))!;
      const store = (fingerprint: string) =>
        storePartList(postgres, {
          ...key,
          epoch,
          position: 1n,
          added: [{ table: 'coffee_g1', part: '1_1_1_0', fingerprint }],
          removed: [],
        });
      const expected = { ...key, table: 'coffee_g1', part: '1_1_1_0' };
      expect(await store('a')).to.equal(true);
      expect(await claimPartToCheck(postgres, 7)).to.deep.equal(expected);
      expect(await claimPartToCheck(postgres, 7)).to.equal(undefined);
      expect(await store('b')).to.equal(true);
      expect(await claimPartToCheck(postgres, 7)).to.deep.equal(expected);
    } finally {
      await postgres.end();
    }
  });
});
