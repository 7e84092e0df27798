import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginProjection,
  checkpoints,
  heldAt,
  holdGeneration,
  leases,
  migrate,
  openRecords,
  planReplay,
  type Records,
  replayLease,
  type StillBy,
  switchGenerations,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/runtime';
import { expect } from 'chai';
import { postgres } from '../support/engines.ts';

const log = createLog('test', 'silent');
const key = { projection: 'coffee', generation: 1 };
const ttlMs = 60_000;

/** Whoever begins a transaction is stopped for a while before its first statement. */
const stopped = (records: Records, meanwhile: () => Promise<unknown>): Records => {
  const connect = async () => {
    const client = await records.connect();
    const query = async (text: string, values: unknown[]) => {
      const answer = await client.query(text, values);
      if (text === 'BEGIN') await meanwhile();
      return answer;
    };
    return { query, release: (error?: Error) => client.release(error) };
  };
  return { connect } as unknown as Records;
};

describe('the switch to another generation', function () {
  this.timeout(30_000);
  let records: Records;
  beforeEach(async () => {
    const server = await postgres();
    const url = await server.freshDatabase(async (fresh) => {
      const empty = openRecords({ url: fresh, log, name: 'test' });
      await migrate(empty);
      await empty.end();
    });
    records = openRecords({ url, log, name: 'test' });
    await beginProjection(records, 'coffee', 1);
  });
  afterEach(() => records.end());

  const planned = async () => {
    const { id, from, to } = (await planReplay(records, { projection: 'coffee', version: 1, verify: false }))!;
    const epoch = (await leases(records).acquire(replayLease('coffee'), 'conductor', ttlMs))!;
    return { id, projection: 'coffee', epoch, from, to, keepMs: 60_000, lingerMs: 0, stoodStillMs: 0 };
  };
  /** The writer of the live generation, with its lease. */
  const writing = async () => {
    const epoch = (await leases(records).acquire(key, 'writer', ttlMs))!;
    const move = (previous: bigint) => ({ ...key, epoch, previous, to: previous + 100n, logId: 'log' });
    return {
      begin: (previous: bigint) => checkpoints(records).begin(move(previous)),
      async write(previous: bigint) {
        expect(await checkpoints(records).begin(move(previous))).to.equal('begun');
        expect(await checkpoints(records).advance({ ...move(previous), parked: [] })).to.equal(true);
      },
    };
  };
  const live = async () => {
    const { rows } = await records.query<{ live: number }>('SELECT live_generation AS live FROM read_models');
    return rows[0]!.live;
  };

  it('happens while the writer of the live one is known to stand still', async () => {
    const [change, writer] = [await planned(), await writing()];
    await writer.write(0n);
    await holdGeneration(records, key, 10_000);
    expect(await writer.begin(100n)).to.equal('held');
    const at = (await heldAt(records, key))!;
    expect(await switchGenerations(records, { ...change, stillBy: { heldAt: at } })).to.equal(true);
    expect(await live()).to.equal(2);
  });

  it('does not happen when the hold ended after its transaction began, and the writer went on', async () => {
    const [change, writer] = [await planned(), await writing()];
    await writer.write(0n);
    await holdGeneration(records, key, 500);
    expect(await writer.begin(100n)).to.equal('held');
    const slow = stopped(records, async () => {
      await sleep(600);
      await writer.write(100n);
    });
    expect(await switchGenerations(slow, { ...change, stillBy: { heldAt: 100n } })).to.equal(false);
    expect(await live()).to.equal(1);
  });

  it('does not happen when it was kept still by its lease, and somebody else has that by now', async () => {
    const change = await planned();
    const stillBy: StillBy = { epoch: (await leases(records).acquire(key, 'conductor', 300))! };
    const slow = stopped(records, async () => {
      await sleep(400);
      await (await writing()).write(0n);
    });
    expect(await switchGenerations(slow, { ...change, stillBy })).to.equal(false);
    expect(await live()).to.equal(1);
  });
});
