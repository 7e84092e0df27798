import {
  createLeaseStore,
  joinMember,
  migrate,
  openPostgres,
  type Postgres,
  recordPartitionCount,
  replacePartitions,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { joinMembers } from '@popsvc/projectors/members';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');

describe('leases of a process with another number of partitions', () => {
  let postgres: Postgres;
  before(async () => {
    postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(), log, name: 'test' });
    await migrate(postgres);
    await recordPartitionCount(postgres, 4);
  });
  after(() => postgres.end());

  const key = { projection: 'coffee', generation: 1, partition: 0 };
  const acquire = (partitions: number | undefined, owner: string) =>
    createLeaseStore(postgres, { partitions }).acquire(key, owner, -1_000);

  it('are refused, also after the number was changed while the process ran', async () => {
    expect(await acquire(1, 'one')).to.equal(undefined);
    expect(await acquire(4, 'four')).to.equal(1n);
    await replacePartitions(postgres, 2, []);
    expect(await acquire(4, 'four')).to.equal(undefined);
    expect(await acquire(2, 'two')).to.equal(2n);
  });

  it('are acquired by a process whose leases have nothing to do with partitions', async () => {
    expect(await acquire(undefined, 'relay')).to.not.equal(undefined);
  });

  it('are not left to a process that runs the projections of another number of shards', async () => {
    for (const member of ['other 1', 'other 2', 'other 3']) await joinMember(postgres, { member, shards: 2 });
    const leases = createLeaseStore(postgres, { partitions: 2 });
    const membership = await joinMembers({ postgres, leases, owner: 'own', partitions: 2, shards: 1, log });
    await membership.leave();
    expect(membership.isAlone()).to.equal(true);
    expect([0, 1].map((partition) => membership.isPreferred({ ...key, partition, partitions: 2 }))).to.deep.equal([
      true,
      true,
    ]);
  });

  it('such a process is no member', async () => {
    const leases = createLeaseStore(postgres, { partitions: 4 });
    const membership = await joinMembers({ postgres, leases, owner: 'late', partitions: 4, shards: 1, log });
    const { rows } = await postgres.query(`SELECT member FROM members WHERE member = 'late'`);
    await membership.leave();
    expect(rows).to.deep.equal([]);
  });
});
