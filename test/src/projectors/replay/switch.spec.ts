import { setTimeout as sleep } from 'node:timers/promises';
import {
  registerProjection,
  createCheckpointStore,
  readHeldPositions,
  holdGeneration,
  createLeaseStore,
  migrate,
  openPostgres,
  planReplay,
  type Postgres,
  replayLeaseKey,
  type WriterStopProof,
  switchGenerations,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../../support/engines.ts';

const log = createLog('test', 'silent');
const key = { projection: 'coffee', generation: 1 };
const ttlMs = 60_000;

/** Delays each transaction before its first statement. */
const delayTransactions = (postgres: Postgres, meanwhile: () => Promise<unknown>): Postgres => {
  const connect = async () => {
    const client = await postgres.connect();
    const query = async (text: string, values: unknown[]) => {
      const answer = await client.query(text, values);
      if (text === 'BEGIN') await meanwhile();
      return answer;
    };
    return { query, release: (error?: Error) => client.release(error) };
  };
  return { connect } as unknown as Postgres;
};

describe('the switch to another generation', function () {
  let postgres: Postgres;
  beforeEach(async () => {
    const server = await sharedPostgres();
    const url = await server.freshDatabase(async (fresh) => {
      const empty = openPostgres({ url: fresh, log, name: 'test' });
      await migrate(empty);
      await empty.end();
    });
    postgres = openPostgres({ url, log, name: 'test' });
    await registerProjection(postgres, 'coffee', 1);
  });
  afterEach(() => postgres.end());

  const planned = async () => {
    const { id, from, to } = (await planReplay(postgres, { projection: 'coffee', version: 1, verify: false }))!;
    const epoch = (await createLeaseStore(postgres).acquire(replayLeaseKey('coffee'), 'coordinator', ttlMs))!;
    return { id, projection: 'coffee', epoch, from, to, keepMs: 60_000, lingerMs: 0, pausedMs: 0 };
  };
  /** The writer of the live generation, with its lease. */
  const writing = async () => {
    const epoch = (await createLeaseStore(postgres).acquire(key, 'writer', ttlMs))!;
    const move = (previous: bigint) => ({ ...key, epoch, previous, to: previous + 100n, logId: 'log' });
    return {
      begin: (previous: bigint) => createCheckpointStore(postgres).beginBatch(move(previous)),
      async write(previous: bigint) {
        expect(await createCheckpointStore(postgres).beginBatch(move(previous))).to.equal('begun');
        expect(await createCheckpointStore(postgres).advance({ ...move(previous), parked: [] })).to.equal(true);
      },
    };
  };
  const live = async () => {
    const { rows } = await postgres.query<{ live: number }>('SELECT live_generation AS live FROM read_models');
    return rows[0]!.live;
  };

  it('happens while the writer of the live generation is paused', async () => {
    const [change, writer] = [await planned(), await writing()];
    await writer.write(0n);
    await holdGeneration(postgres, key, 10_000);
    expect(await writer.begin(100n)).to.equal('held');
    const at = (await readHeldPositions(postgres, key)).get(0)!;
    expect(await switchGenerations(postgres, { ...change, stoppedBy: [{ heldAt: at }] })).to.equal(true);
    expect(await live()).to.equal(2);
  });

  it('does not take the position of a writer that has lost its lease', async () => {
    const former = await writing();
    await former.write(0n);
    await postgres.query(`UPDATE leases SET expires_at = now() - interval '1 second' WHERE owner = 'writer'`);
    const writer = await writing();
    await writer.write(100n);
    await holdGeneration(postgres, key, 10_000);
    expect(await writer.begin(200n)).to.equal('held');
    expect(await former.begin(100n)).to.equal('held');
    expect((await readHeldPositions(postgres, key)).get(0)).to.equal(200n);
  });

  for (const [what, damage, keptDays] of [
    ['keeps the tables for a year', '[]', 365],
    ['drops damaged tables at once', '[{}]', 0],
  ] as const)
    it(`${what}, with REPLAY_KEEP_HOURS of a year`, async () => {
      const [change, writer] = [{ ...(await planned()), keepMs: 365 * 86_400_000 }, await writing()];
      await writer.write(0n);
      await postgres.query('UPDATE generations SET damage = $1 WHERE generation = 1', [damage]);
      await holdGeneration(postgres, key, 10_000);
      expect(await writer.begin(100n)).to.equal('held');
      expect(await switchGenerations(postgres, { ...change, stoppedBy: [{ heldAt: 100n }] })).to.equal(true);
      const { rows } = await postgres.query<{ days: number }>(
        'SELECT extract(epoch FROM drop_after - now())::float8 / 86400 AS days FROM generations WHERE generation = 1',
      );
      expect(rows[0]!.days).to.be.closeTo(keptDays, 0.01);
    });

  it('does not happen when the pause ended after its transaction began and the writer continued', async () => {
    const [change, writer] = [await planned(), await writing()];
    await writer.write(0n);
    await holdGeneration(postgres, key, ttlMs);
    expect(await writer.begin(100n)).to.equal('held');
    const slow = delayTransactions(postgres, async () => {
      await postgres.query('UPDATE generations SET held_until = now()');
      await writer.write(100n);
    });
    expect(await switchGenerations(slow, { ...change, stoppedBy: [{ heldAt: 100n }] })).to.equal(false);
    expect(await live()).to.equal(1);
  });

  it('does not happen when another process took the lease that paused the generation', async () => {
    const change = await planned();
    const proof: WriterStopProof = { epoch: (await createLeaseStore(postgres).acquire(key, 'coordinator', ttlMs))! };
    const slow = delayTransactions(postgres, async () => {
      await postgres.query("UPDATE leases SET expires_at = now() WHERE projection = 'coffee'");
      await sleep(10);
      await (await writing()).write(0n);
    });
    expect(await switchGenerations(slow, { ...change, stoppedBy: [proof] })).to.equal(false);
    expect(await live()).to.equal(1);
  });
});
