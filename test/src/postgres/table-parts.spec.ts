import {
  claimPartToCheck,
  createLeaseStore,
  type ListedPart,
  migrate,
  openPostgres,
  type Postgres,
  readPartList,
  registerProjection,
  storePartList,
  takePartSnapshot,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

const key = { projection: 'coffee', generation: 1 };
const partOf = (part: string, fingerprint = 'a'): ListedPart => ({ table: 'coffee_g1', part, fingerprint });

describe('the list of the parts of a generation', () => {
  let postgres: Postgres;
  beforeEach(async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    postgres = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
    await migrate(postgres);
    await registerProjection(postgres, 'coffee', 1);
    await postgres.query(
      `INSERT INTO checkpoints (projection, generation, partition, position, log_id)
       VALUES ('coffee', 1, 0, 0, 'log'), ('coffee', 1, 1, 0, 'log')`,
    );
  });
  afterEach(() => postgres.end());

  const lease = async (partition: number) =>
    (await createLeaseStore(postgres).acquire({ ...key, partition }, 'test', 60_000))!;
  const snapshotOf = (...parts: readonly ListedPart[]) => takePartSnapshot(postgres, key, () => Promise.resolve(parts));

  it('has a part checked again after its fingerprint changed', async () => {
    const epoch = await lease(0);
    const store = async (fingerprint: string) =>
      storePartList(postgres, {
        ...key,
        epoch,
        position: 1n,
        snapshot: await snapshotOf(partOf('1_1_1_0', fingerprint)),
      });
    const expected = { ...key, table: 'coffee_g1', part: '1_1_1_0' };
    expect(await store('a')).to.equal(true);
    expect(await claimPartToCheck(postgres, { projections: ['coffee'], days: 7 })).to.deep.equal(expected);
    expect(await claimPartToCheck(postgres, { projections: ['coffee'], days: 7 })).to.equal(undefined);
    expect(await store('b')).to.equal(true);
    expect(await claimPartToCheck(postgres, { projections: ['coffee'], days: 7 })).to.deep.equal(expected);
  });

  it('keeps the newer of two snapshots, whichever partition stores it last', async () => {
    const epochs = [await lease(0), await lease(1)];
    const [older, newer] = [await snapshotOf(partOf('1_1_1_0')), await snapshotOf(partOf('1_1_2_1'))];
    const store = (partition: number, position: bigint, snapshot: typeof older) =>
      storePartList(postgres, { ...key, partition, epoch: epochs[partition]!, position, snapshot });
    expect(await store(1, 20n, newer)).to.equal(true);
    expect(await store(0, 10n, older)).to.equal(true);
    const list = await readPartList(postgres, key);
    expect(list.parts.map(({ part }) => part)).to.deep.equal(['1_1_2_1']);
    expect(list.positions).to.deep.equal(
      new Map([
        [0, 10n],
        [1, 20n],
      ]),
    );
  });

  it('is not stored by a process that lost the lease of its partition', async () => {
    const epoch = await lease(1);
    const snapshot = await snapshotOf(partOf('1_1_1_0'));
    expect(await storePartList(postgres, { ...key, partition: 0, epoch, position: 1n, snapshot })).to.equal(false);
    expect((await readPartList(postgres, key)).parts).to.deep.equal([]);
  });
});
