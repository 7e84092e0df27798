import { setTimeout as sleep } from 'node:timers/promises';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import {
  migrate,
  openPostgres,
  type Postgres,
  pruneDerivedRows,
  readExhaustedNetworks,
} from '@popsvc/platform/postgres';
import { openRowBudget } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import sinon from 'sinon';
import { smallRegistry } from '../support/small-registry.ts';
import { createProjectors } from '@popsvc/projectors/service';
import { waitUntil } from '@popsvc/tools/rig';
import { ensureSchema } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { fourPartitions, runPartition } from './partitions/partitioned.fixture.ts';
import { sharedPostgres } from '../support/engines.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

const log = createLog('test', 'silent');
const dayMs = 86_400_000;

describe('the daily budget of derived rows', () => {
  let postgres: Postgres;
  before(async () => {
    const server = await sharedPostgres();
    postgres = openPostgres({ url: await server.freshDatabase(), log, name: 'test' });
    await migrate(postgres);
  });
  after(() => postgres.end());
  beforeEach(() => postgres.query('TRUNCATE derived_rows'));

  it('is exhausted for one network, until the next UTC day, also for a process that starts later', async () => {
    const now = Date.now();
    const midnight = Math.floor(now / dayMs) * dayMs;
    let atMs = midnight + 1_000;
    const clock = { now: () => atMs };
    const first = await openRowBudget(postgres, 100, { clock });
    first.add(new Map([[1, 60]]));
    first.add(new Map([[2, 99]]));
    await first.store();
    first.add(new Map([[1, 40]]));
    expect([first.isExhausted(1), first.isExhausted(2), first.exhausted()]).to.deep.equal([true, false, [1]]);
    await first.store();
    expect(await readExhaustedNetworks(postgres, 1)).to.have.nested.property('[0].network', 1);
    const second = await openRowBudget(postgres, 100, { clock });
    expect(second.exhausted()).to.deep.equal([1]);
    atMs = midnight + dayMs;
    expect([first.exhausted(), second.exhausted()]).to.deep.equal([[], []]);
  });

  it('begins with zero at midnight, also while the counts of the day before are being stored', async () => {
    const midnight = Math.floor(Date.now() / dayMs) * dayMs;
    let atMs = midnight + 1_000;
    const budget = await openRowBudget(postgres, 100, { clock: { now: () => atMs } });
    budget.add(new Map([[1, 100]]));
    const storing = budget.store();
    expect(budget.exhausted(), 'counts that are being stored').to.deep.equal([1]);
    atMs = midnight + dayMs;
    expect(budget.exhausted()).to.deep.equal([]);
    await storing;
    expect(budget.exhausted()).to.deep.equal([]);
  });

  it('keeps counts that could not be stored', async () => {
    let atMs = Math.floor(Date.now() / dayMs) * dayMs;
    const budget = await openRowBudget(postgres, 100, { clock: { now: () => atMs } });
    budget.add(new Map([[1, 100]]));
    const away = sinon.stub(postgres, 'query').rejects(new Error('PostgreSQL is away'));
    expect(await budget.store().catch((error: unknown) => (error as Error).message)).to.equal('PostgreSQL is away');
    away.restore();
    expect(budget.exhausted()).to.deep.equal([1]);
    budget.add(new Map([[1, 1]]));
    atMs += 1_000;
    await budget.store();
    const { rows } = await postgres.query<{ rows: string }>('SELECT rows FROM derived_rows');
    expect(rows).to.deep.equal([{ rows: '101' }]);
  });

  it('no longer marks a network as waiting after the limit was raised', async () => {
    const low = await openRowBudget(postgres, 10);
    low.add(new Map([[1, 10]]));
    await low.store();
    expect(await readExhaustedNetworks(postgres, 1)).to.have.length(1);
    const high = await openRowBudget(postgres, 1_000);
    expect(high.isExhausted(1)).to.equal(false);
    high.add(new Map([[1, 1]]));
    await high.store();
    expect(await readExhaustedNetworks(postgres, 1)).to.deep.equal([]);
  });

  it('is one of each set of shards', async () => {
    const [single, sharded] = await Promise.all([1, 2].map((shards) => openRowBudget(postgres, 100, { shards })));
    sharded!.add(new Map([[1, 100]]));
    await sharded!.store();
    single!.add(new Map([[1, 1]]));
    await single!.store();
    expect([single!.exhausted(), sharded!.exhausted()]).to.deep.equal([[], [1]]);
    expect(await readExhaustedNetworks(postgres, 1)).to.deep.equal([]);
    expect(await readExhaustedNetworks(postgres, 2)).to.have.nested.property('[0].network', 1);
  });

  it('keeps the counts of a week', async () => {
    await postgres.query(`INSERT INTO derived_rows (network, day, rows)
      SELECT 1, (now() AT TIME ZONE 'UTC')::date - ago, ago FROM generate_series(0, 30) AS ago`);
    await pruneDerivedRows(postgres);
    const { rows } = await postgres.query<{ rows: string }>('SELECT rows FROM derived_rows ORDER BY rows');
    expect(rows.map(({ rows: ago }) => Number(ago))).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('a network without budget', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register({
      ...smallRegistry,
      networks: [...smallRegistry.networks, { id: 2, name: 'Other Media', timezone: 'Europe/London' }],
    });
    await system.project();
  });
  after(() => system.close());

  const rowsOf = async (network: number) => {
    const [row] = await system.writer.rows<{ found: number }>(
      `SELECT toUInt32(count()) AS found FROM coffee_live WHERE network_id = ${network}`,
    );
    return row!.found;
  };

  it('has its receipts and no rows until it may derive again, and others are not affected', async () => {
    const exhausted = new Set([1]);
    const derived = new Map<number, number>();
    const rowBudget = () => ({
      isExhausted: (network: number) => exhausted.has(network),
      exhausted: () => [...exhausted],
      add: (rows: ReadonlyMap<number, number>) => rows.forEach((count, network) => derived.set(network, count)),
      store: () => Promise.resolve(),
    });
    await system.play({ eventId: 'A' });
    await system.play({ eventId: 'A' });
    await system.detection({ detectionId: 'p' });
    await system.play({ eventId: 'B', screenId: 'other' }, { network: 2, vendor: 'other' });
    await system.projectOne('coffee', { rowBudget });
    expect([await rowsOf(1), await rowsOf(2)]).to.deep.equal([0, 1]);
    const [counts] = await system.writer.rows(
      `SELECT toUInt32(sum(stored)) AS stored, toUInt32(sum(duplicate)) AS duplicate FROM vendor_balance_live WHERE network_id = 1`,
    );
    expect(counts).to.deep.equal({ stored: 1, duplicate: 1 });
    exhausted.clear();
    await system.projectOne('coffee', { rowBudget });
    expect([await rowsOf(1), await rowsOf(2)]).to.deep.equal([1, 1]);
    expect(derived.get(1)).to.be.greaterThan(0);
  });

  it('derives ranges that were put off while the generation was filled, and their rows do not count', async () => {
    const filledMs = Date.parse('2026-08-21T00:00:00Z');
    const counted: number[] = [];
    const rowBudget = (sinceMs: number) =>
      sinceMs < filledMs
        ? undefined
        : {
            isExhausted: () => false,
            exhausted: () => [],
            add: (rows: ReadonlyMap<number, number>) => counted.push(...rows.values()),
            store: () => Promise.resolve(),
          };
    const putOff = (asOf: string, minute: number) =>
      system.writer.run(
        `INSERT INTO coffee_pending_g1 (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, version)
         SELECT 1, 1, 'screen-1', toDateTime64('2026-08-20 14:0${minute}:00', 3, 'UTC'), toDateTime64('2026-08-20 15:00:00', 3, 'UTC'),
           'facts', 1, toDateTime64('${asOf}', 3, 'UTC'), 1, 1`,
      );
    for (const [asOf, minute, expected] of [
      ['2026-08-20 16:00:00', 0, 0],
      ['2026-08-22 16:00:00', 1, 1],
    ] as const) {
      await putOff(asOf, minute);
      await system.projectOne('coffee', { rowBudget });
      expect(await system.writer.rows('SELECT 1 FROM coffee_pending_g1 FINAL'), asOf).to.deep.equal([]);
      expect(counted, asOf).to.have.length(expected);
    }
  });

  it('is left to its own partition by other partitions of the process', async () => {
    await ensureSchema(
      system.writer,
      allProjections.map((projection) => ({ projection, generation: 2, partitions: projection.isSplit ? 4 : 1 })),
    );
    const exhausted = new Set([2]);
    const rowBudget = () => ({
      isExhausted: (network: number) => exhausted.has(network),
      exhausted: () => [...exhausted],
      add: () => undefined,
      store: () => Promise.resolve(),
    });
    const upTo = await system.play({ eventId: 'C', screenId: 'other' }, { network: 2, vendor: 'other' });
    const run = async (network: number) => {
      const partition = fourPartitions.find(({ index }) => index === network % 4)!;
      const at = network === 2 ? upTo : await system.play({ eventId: `D${network}` });
      // The budget of the next day begins after the batches.
      const onResumed = () => setTimeout(() => exhausted.clear(), 500);
      await runPartition(system, { name: 'coffee', generation: 2, partition }, at, { rowBudget, onResumed });
    };
    const pending = async () =>
      (
        await system.writer.rows<{ network: number }>(
          `SELECT DISTINCT toUInt32(network_id) AS network FROM coffee_pending_g2 FINAL`,
        )
      ).map(({ network }) => network);
    await system.writer.run(
      `INSERT INTO coffee_pending_g2 (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, version)
       SELECT 2, 2, 'other', toDateTime64('2026-08-20 14:00:00', 3, 'UTC'), toDateTime64('2026-08-20 15:00:00', 3, 'UTC'), 'facts', 1, now64(3), 1, 1`,
    );
    await run(1);
    expect(await pending()).to.deep.equal([2]);
    await run(2);
    expect(await pending()).to.deep.equal([]);
  });
});

describe('the daily budget of a set of shards that is filled', () => {
  it('counts the rows of events that are newer than the generation only', async () => {
    const system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
    await system.play({ eventId: 'older' });
    const { store, writer, postgres } = system;
    const projectors = await createProjectors({
      store,
      writers: [writer],
      postgres,
      metrics: createMetrics('test'),
      log,
      owner: 'one',
      derivedRowsPerDay: 1_000,
    });
    const waitForRow = (eventId: string) =>
      waitUntil(
        () => writer.rows(`SELECT 1 FROM coffee_live WHERE event_id = '${eventId}'`),
        (rows) => rows.length === 1,
      );
    const countStored = async () =>
      (await postgres.query<{ rows: string }>('SELECT rows FROM derived_rows WHERE shards = 1')).rows.map(({ rows }) =>
        Number(rows),
      );
    try {
      await waitForRow('older');
      // The counts are stored at most once a second.
      await sleep(1_100);
      expect(await countStored()).to.deep.equal([]);
      await system.play({ eventId: 'newer', playedAt: '2026-08-20T16:00:00.000Z' });
      await waitForRow('newer');
      const [stored] = await waitUntil(countStored, ({ length }) => length > 0);
      expect(stored).to.be.greaterThan(0);
    } finally {
      await projectors.stop();
      await system.close();
    }
  });
});
