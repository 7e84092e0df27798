import { createLog } from '@popsvc/platform/telemetry';
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
    const first = await openRowBudget(postgres, 100, clock);
    first.add(new Map([[1, 60]]));
    first.add(new Map([[2, 99]]));
    await first.store();
    first.add(new Map([[1, 40]]));
    expect([first.isExhausted(1), first.isExhausted(2), first.exhausted()]).to.deep.equal([true, false, [1]]);
    await first.store();
    expect(await readExhaustedNetworks(postgres)).to.have.nested.property('[0].network', 1);
    const second = await openRowBudget(postgres, 100, clock);
    expect(second.exhausted()).to.deep.equal([1]);
    atMs = midnight + dayMs;
    expect([first.exhausted(), second.exhausted()]).to.deep.equal([[], []]);
  });

  it('begins with zero at midnight, also while the counts of the day before are being stored', async () => {
    const midnight = Math.floor(Date.now() / dayMs) * dayMs;
    let atMs = midnight + 1_000;
    const budget = await openRowBudget(postgres, 100, { now: () => atMs });
    budget.add(new Map([[1, 100]]));
    const storing = budget.store();
    expect(budget.exhausted(), 'counts that are being stored').to.deep.equal([1]);
    atMs = midnight + dayMs;
    expect(budget.exhausted()).to.deep.equal([]);
    await storing;
    expect(budget.exhausted()).to.deep.equal([]);
  });

  it('keeps counts that could not be stored', async () => {
    let atMs = Date.now();
    const budget = await openRowBudget(postgres, 100, { now: () => atMs });
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
    expect(await readExhaustedNetworks(postgres)).to.have.length(1);
    const high = await openRowBudget(postgres, 1_000);
    expect(high.isExhausted(1)).to.equal(false);
    high.add(new Map([[1, 1]]));
    await high.store();
    expect(await readExhaustedNetworks(postgres)).to.deep.equal([]);
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
});
