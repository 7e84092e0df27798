import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { LeaseLost, liveBatchLimits } from '@popsvc/projectors/engine';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { Crash } from './crashing-stores.fixture.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A run crashes within a batch; the next run continues. */
describe('a batch that was written in part', () => {
  const readModels = reusableReadModels();
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee', 'watcher-summary'], readModels });
    await system.register(smallRegistry);
  });
  afterEach(() => system.close());

  const before = (text: string, act: () => Promise<void>): ClickHouseWriter => ({
    ...system.parts.writer,
    run: async (query, options) => {
      if (query.includes(text)) await act();
      return system.parts.writer.run(query, options);
    },
    insert: async (insert) => {
      if (insert.table.includes(text)) await act();
      return system.parts.writer.insert(insert);
    },
  });
  const crash = (): Promise<void> => Promise.reject(new Crash());

  it('ends at the same position in the next run, so that a reverted registry change leaves no rows', async () => {
    await system.project();
    await system.play({ eventId: 'A' });
    await system.detection({ detectionId: 'p' });
    await system.project();
    const move = (location: number, name: string) =>
      system.register({
        networks: [{ ...smallRegistry.networks[0], name }],
        sites: [{ id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' }],
        locations: [{ id: 30, name: 'Platform', site: 20 }],
        devices: [{ ...smallRegistry.devices[0], location, effective_from: '2026-08-01T00:00:00Z' }],
      });
    await move(30, 'Renamed');
    const writer = before('progress_', crash);
    for (const name of ['registry', 'coffee', 'watcher-summary'])
      expect(await outcomeOf(system.projectOne(name, { writer }))).to.be.instanceOf(Crash);
    await move(3, 'Harbour Media');
    await system.play({ eventId: 'B', playedAt: at(60) });
    await system.project();
    const places = async (dataset: typeof coffeeDataset) =>
      (await system.rows(dataset)).map((row) => [row['SITE_ID'], row['SITE_TZ']]);
    expect(await places(coffeeDataset)).to.deep.equal([
      [2, 'Europe/London'],
      [2, 'Europe/London'],
    ]);
    expect(await places(watcherSummaryDataset)).to.deep.equal([[2, 'Europe/London']]);
    expect((await system.rows(coffeeDataset))[0]).to.include({ NETWORK_NAME: 'Harbour Media' });
  });

  /** A run crashes after it wrote the facts of `append`; the next one folds the events before them again. Returns what readers saw meanwhile. */
  const readWhileFoldedAgain = async (
    name: string,
    insert: string,
    append: () => Promise<unknown>,
    read: () => Promise<unknown>,
  ) => {
    await system.projectOne(name);
    const { position } = await system.parts.checkpoints.read({ projection: name, generation: 1 });
    await system.play({ eventId: 'A' });
    if (name === 'watcher-summary') await system.detection({ detectionId: 'p' });
    await system.projectOne(name);
    await append();
    expect(await outcomeOf(system.projectOne(name, { writer: before(insert, crash) }))).to.be.instanceOf(Crash);
    // As after a restart of ClickHouse.
    await system.postgres.query('UPDATE checkpoints SET position = $2 WHERE projection = $1', [
      name,
      position.toString(),
    ]);
    const seen: unknown[] = [];
    const limits = { ...liveBatchLimits, rows: 1 };
    await system.projectOne(name, { limits, writer: before(insert, async () => void seen.push(await read())) });
    return seen;
  };

  it('never shows a play both with and without audience while earlier events are folded again', async () => {
    const people = async () => (await system.rows(coffeeDataset)).map((row) => row['WATCHERID']);
    const append = () => system.detection({ detectionId: 'p' });
    expect(await readWhileFoldedAgain('coffee', 'INSERT INTO coffee_g1', append, people)).to.deep.equal([
      [null],
      [null],
    ]);
    expect(await people()).to.deep.equal([1]);
  });

  it('keeps the rows that a batch has derived while the batches before it are folded again', async () => {
    const people = async () => (await system.rows(coffeeDataset)).map((row) => row['WATCHERID']);
    const append = () => system.detection({ detectionId: 'p' });
    const seen = await readWhileFoldedAgain('coffee', 'progress_coffee', append, people);
    expect(seen).to.not.be.empty;
    for (const each of [...seen, await people()]) expect(each).to.deep.equal([1]);
    expect(await system.writer.rows('SELECT * FROM coffee_history_g1')).to.have.length(1);
  });

  it('never shows a detection at two starts while earlier events are folded again', async () => {
    const starts = async () => (await system.rows(watcherSummaryDataset)).length;
    const append = () => system.detection({ detectionId: 'p', revision: 1, startedAt: at(5) });
    const seen = await readWhileFoldedAgain('watcher-summary', 'INSERT INTO watcher_summary_g1', append, starts);
    expect(seen).to.deep.equal([1, 1]);
    expect(await starts()).to.equal(1);
  });

  it('changes nothing when its last statement arrives after another run has continued', async () => {
    await system.projectOne('coffee');
    await system.play({ eventId: 'A' });
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    let reached = () => {};
    const stopped = new Promise<void>((resolve) => (reached = resolve));
    const writer = before('INSERT INTO coffee_g1', () => {
      reached();
      return asleep;
    });
    const zombie = outcomeOf(system.projectOne('coffee', { writer }));
    await stopped;
    // The same owner takes its lease over at once, as a restarted process does.
    await system.detection({ detectionId: 'p' });
    await system.projectOne('coffee');
    wake();
    expect(await zombie).to.be.instanceOf(LeaseLost);
    const rows = (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['POP_TYPE']]);
    expect(rows).to.deep.equal([['A', 'VIEWER']]);
  });

  it('ends with the statement that ClickHouse still executes when the next run begins', async () => {
    const slowSql = `SELECT sleepEachRow(1) FROM numbers(600)
      SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
    const readRunning = async () => {
      const rows = await system.writer.rows<{ id: string }>(
        `SELECT query_id AS id FROM system.processes
         WHERE current_database = currentDatabase() AND query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`,
      );
      return rows.map(({ id }) => id);
    };
    await system.projectOne('coffee');
    await system.play({ eventId: 'A' });
    const { writer } = system.parts;
    const slow: ClickHouseWriter = {
      ...writer,
      run: (query, options) => writer.run(query.includes('INSERT INTO coffee_g1') ? slowSql : query, options),
    };
    const stop = new AbortController();
    const ofOther = outcomeOf(writer.run(slowSql, { session: 'coffee-g2-p0of1-', signal: stop.signal }));
    const former = outcomeOf(system.projectOne('coffee', { writer: slow }));
    await waitUntil(readRunning, (ids) => ids.length === 2);
    await system.projectOne('coffee');
    const running = await readRunning();
    stop.abort();
    expect(String(await former)).to.include('cancelled');
    expect(running).to.have.length(1);
    expect(running[0]).to.match(/^coffee-g2-/);
    await ofOther;
    expect((await system.rows(coffeeDataset)).map((row) => row['EVENT_ID'])).to.deep.equal(['A']);
  });

  it('leaves no subscription open', async () => {
    let open = 0;
    const { store } = system.parts;
    const counted: typeof store = {
      ...store,
      async *subscribe(options) {
        open += 1;
        try {
          yield* store.subscribe(options);
        } finally {
          open -= 1;
        }
      },
    };
    await system.projectOne('coffee');
    await system.play({ eventId: 'A' });
    for (let run = 0; run < 3; run += 1)
      await outcomeOf(system.projectOne('coffee', { store: counted, writer: before('plays_g1', crash) }));
    await waitUntil(
      () => Promise.resolve(open),
      (left) => left === 0,
    );
  });

  it('refuses a log that ends before the checkpoint', async () => {
    await system.projectOne('coffee');
    await system.postgres.query('UPDATE checkpoints SET position = position + 1000000, begun = begun + 1000000');
    await system.writer.run(
      `INSERT INTO progress_coffee_g1 SELECT * REPLACE (pos + 1000000 AS pos) FROM progress_coffee_g1`,
    );
    expect(String(await outcomeOf(system.projectOne('coffee')))).to.include('restored from an older copy');
  });
});
