import { ClickHouseError } from '@clickhouse/client';
import { ApiError } from '@popsvc/contracts/errors';
import {
  type ClickHouseReader,
  compileRowBinary,
  createTable,
  field,
  openClickHouseReader,
  openClickHouseWriter,
  type QueryOptions,
  Sql,
} from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { createProgressReader } from '@popsvc/query-api/generations';
import { derivedCoffee, progressOf } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { sharedClickHouse } from '../support/engines.ts';

type ProgressRow = readonly [kind: string, name: string, numbers: readonly number[]];

const fields = {
  kind: field('String', ''),
  name: field('String', ''),
  numbers: field('Array(UInt64)', ''),
};
const encode = (rows: readonly ProgressRow[]): Buffer => {
  const batch = compileRowBinary(fields)();
  for (const [kind, name, numbers] of rows) batch.add({ kind, name, numbers });
  return batch.body();
};

const firstRun = '2026-08-20 00:00:00';
const verified: ProgressRow = ['run', firstRun, []];

/** The last batch of a partition, with the run in which it can be read. */
const progressAt = (position: number, { partitions = 1, partition = 0 } = {}): readonly ProgressRow[] => [
  verified,
  ['batch', 'registry', [1, partitions, partition, position, position, position]],
];

/** The error of a read that ClickHouse rejected. */
const rejectedWith = (type: string) =>
  new ApiError('UNAVAILABLE', undefined, { cause: new ClickHouseError({ message: '', code: '0', type }) });
const [damaged, missing] = [rejectedWith('CORRUPTED_DATA'), rejectedWith('UNKNOWN_TABLE')];

const log = createLog('test', 'silent');

describe('the progress of projections', () => {
  let clock: sinon.SinonFakeTimers;
  interface Read {
    /** Projections whose progress is read. */
    readonly names: readonly string[];
    readonly answer: (rows: readonly ProgressRow[]) => void;
    readonly fail: (error: Error) => void;
  }
  const reads: Read[] = [];
  /** Of each live generation. */
  let [partitions, generation, run] = [1, 1, firstRun];
  const reader = {
    rows: () =>
      Promise.resolve(
        ['registry', 'coffee'].map((projection) => ({
          projection,
          generation,
          tables_id: '',
          shards: 1,
          partitions,
          run,
        })),
      ),
    rowBinary: (query: Sql) =>
      new Promise<Buffer>((resolve, fail) =>
        reads.push({
          names: ['coffee', 'registry'].filter((name) => query.relations.has(`progress_${name}`)),
          answer: (rows) => resolve(encode(rows)),
          fail,
        }),
      ),
  } as unknown as ClickHouseReader;
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    reads.length = 0;
    [partitions, generation, run] = [1, 1, firstRun];
  });
  afterEach(() => clock.restore());
  /** Lets a promise that was resolved run its callbacks. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const createReader = () => createProgressReader(reader, () => undefined, log).readProgress;

  it('is shared for 250 ms, and read again after a failure', async () => {
    const readProgress = createReader();
    const failed = readProgress('registry');
    await settle();
    reads[0]!.fail(new Error('no connection'));
    expect(await failed).to.equal(undefined);
    const both = [readProgress('registry'), readProgress('registry')];
    await settle();
    reads[1]!.answer(progressAt(5));
    for (const progress of await Promise.all(both)) expect(progress).to.include({ position: 5n });
    clock.tick(250);
    expect(await readProgress('registry')).to.include({ position: 5n });
    clock.tick(1);
    const later = readProgress('registry');
    await settle();
    reads[2]!.answer(progressAt(6));
    expect(await later).to.include({ position: 6n });
    expect(reads).to.have.length(3);
  });

  it('is where the last of the partitions is, and 0 while one of them has written nothing', async () => {
    partitions = 2;
    const of = async (rows: readonly ProgressRow[]) => {
      const progress = createReader()('registry');
      await settle();
      reads.at(-1)!.answer(rows);
      return progress;
    };
    const first = [...progressAt(3, { partitions }), ...progressAt(8, { partitions })];
    expect(await of(first)).to.include({ position: 0n, changedPosition: 8n, asOfMs: 0 });
    const both = [...first, ...progressAt(5, { partitions, partition: 1 })];
    expect(await of(both)).to.include({ position: 5n, changedPosition: 8n, asOfMs: 5 });
    expect(await of([verified])).to.equal(undefined);
  });

  it('is unknown until the tables were verified in this run of ClickHouse', async () => {
    const progress = createReader()('registry');
    await settle();
    reads[0]!.answer(progressAt(5).slice(1));
    await settle();
    reads[1]!.answer(progressAt(5).slice(1));
    expect(await progress).to.equal(undefined);
  });

  it('is read at once for a projection that was not in use, and no longer ten seconds after its last use', async () => {
    const readProgress = createReader();
    const registry = readProgress('registry');
    await settle();
    reads[0]!.answer(progressAt(5));
    await registry;
    clock.tick(1);
    const coffee = readProgress('coffee');
    await settle();
    expect(reads[1]!.names).to.deep.equal(['coffee', 'registry']);
    reads[1]!.answer([...progressAt(5), ['batch', 'coffee', [1, 1, 0, 7, 7, 7]], ['pending', 'coffee', [7, 9, 2]]]);
    expect(await coffee).to.deep.include({
      position: 7n,
      pending: [{ network: 7, lastNetwork: 9, partitions: 1, shards: 1, asOfMs: 2 }],
    });
    expect(await readProgress('registry')).to.include({ position: 5n });
    expect(reads).to.have.length(2);
    for (let second = 1; second <= 11; second += 1) {
      await clock.tickAsync(1_000);
      void readProgress('registry');
      await settle();
      reads.at(-1)!.answer(progressAt(5));
      await settle();
    }
    expect(reads.at(-1)!.names).to.deep.equal(['registry']);
  });

  it('is read without a projection whose tables are missing or damaged', async () => {
    const reported: string[][] = [];
    const { readProgress } = createProgressReader(reader, (relations) => reported.push([...relations]), log);
    const both = Promise.all([readProgress('registry'), readProgress('coffee')]);
    await settle();
    const failAndAnswer = async (error: Error) => {
      reads[0]!.fail(error);
      await settle();
      reads.find(({ names }) => names.join() === 'coffee')!.fail(error);
      reads.find(({ names }) => names.join() === 'registry')!.answer(progressAt(5));
      await settle();
      reads.at(-1)!.answer([verified]);
    };
    await failAndAnswer(damaged);
    const [registry, coffee] = await both;
    expect([registry?.position, coffee]).to.deep.equal([5n, undefined]);
    expect(reported).to.have.length(1);
    expect(reported[0]).to.include('progress_coffee').and.to.not.include('progress_registry');
    reads.length = 0;
    clock.tick(1);
    const later = Promise.all([
      readProgress('registry', { isUncached: true }),
      readProgress('coffee', { isUncached: true }),
    ]);
    await settle();
    await failAndAnswer(missing);
    expect((await later).map((progress) => progress?.position)).to.deep.equal([5n, undefined]);
    expect(reported).to.have.length(1);
  });

  it('is that of the live generation if the tables of the one that was listed before were dropped', async () => {
    const readProgress = createReader();
    const first = readProgress('coffee');
    await settle();
    reads[0]!.answer([verified, ['batch', 'coffee', [1, 1, 0, 7, 7, 7]]]);
    expect(await first).to.include({ generation: 1 });
    clock.tick(251);
    generation = 2;
    const second = readProgress('coffee');
    await settle();
    reads[1]!.fail(missing);
    await settle();
    reads[2]!.answer([verified, ['batch', 'coffee', [2, 1, 0, 8, 8, 8]]]);
    expect(await second).to.include({ generation: 2, position: 8n });
  });

  it('is read again with the live generations after ClickHouse restarted', async () => {
    const readProgress = createReader();
    const registry = readProgress('registry');
    await settle();
    run = '2026-08-20 00:00:07';
    generation = 2;
    clock.tick(1);
    reads[0]!.answer([
      ['run', run, []],
      ['batch', 'registry', [1, 1, 0, 9, 9, 9]],
    ]);
    await settle();
    reads[1]!.answer([
      ['run', run, []],
      ['batch', 'registry', [2, 1, 0, 5, 5, 5]],
    ]);
    expect(await registry).to.include({ generation: 2, position: 5n });
  });

  it('is kept when an older read fails later', async () => {
    const readProgress = createReader();
    const slow = readProgress('registry');
    await settle();
    clock.tick(251);
    const next = readProgress('registry');
    await settle();
    reads[1]!.answer(progressAt(5));
    expect(await next).to.include({ position: 5n });
    reads[0]!.fail(new Error('no connection'));
    expect(await slow).to.equal(undefined);
    expect(await readProgress('registry')).to.include({ position: 5n });
    expect(reads).to.have.length(2);
  });
});

describe('the query of the progress', function () {
  it('includes the pending ranges of the batches that it includes', async () => {
    const engine = await sharedClickHouse();
    const options = { url: `${engine.url}/${await engine.database()}`, ...engine.writer };
    const [writer, reader] = [openClickHouseWriter(options), openClickHouseReader(options)];
    try {
      const { pending } = derivedCoffee;
      for (const table of [progressOf('coffee'), pending]) await writer.run(createTable(table, 1, {}));
      await writer.run('CREATE VIEW verified_runs AS SELECT 1 AS verified_at');
      await writer.run(`CREATE VIEW live_generations_live AS SELECT 'coffee' AS projection, toUInt32(1) AS generation,
        'a' AS tables_id, toUInt8(1) AS shards, toUInt8(1) AS partitions`);
      /** Writes the pending range of a batch, and then its progress, as the projectors do. */
      const writeBatch = async (position: number) => {
        await writer.run(
          `INSERT INTO coffee_pending_g1 (network_id, cause, as_of) SELECT ${position}, 'facts', now64(3)`,
        );
        await writer.run(`INSERT INTO progress_coffee_g1 (generation, partitions, partition, pos, changed_pos, as_of)
          SELECT 1, 1, 0, ${position}, ${position}, now64(3)`);
      };
      const markerOf = (position: number) => `waits between the tables ${position}`;
      /** Waits after ClickHouse has opened the progress, and before it opens the pending ranges. */
      const slow = (query: Sql, position: number): Sql =>
        new Sql(
          query.texts.map((text) =>
            text.replace(
              /UNION ALL(\s+SELECT 'pending')/,
              `UNION ALL SELECT '${markerOf(position)}', '', [] WHERE (SELECT sleep(3)) = 1 UNION ALL$1`,
            ),
          ),
          query.values,
        );
      const isWaiting = async (position: number) =>
        (
          await writer.rows(`SELECT 1 FROM system.processes WHERE position(query, '${markerOf(position)}') > 0
          AND elapsed > 0.5 AND position(query, 'system.processes') = 0`)
        ).length > 0;
      await writeBatch(1);
      const attempt = async (position: number) => {
        const slowReader = {
          ...reader,
          rowBinary: (query: Sql, given?: QueryOptions) => reader.rowBinary(slow(query, position), given),
        };
        const { readProgress } = createProgressReader(slowReader, () => undefined, log);
        const read = readProgress('coffee', { isRequired: true });
        await waitUntil(() => isWaiting(position), Boolean);
        await writeBatch(position);
        const progress = (await read)!;
        const isPending = progress.pending.some(({ network }) => network === position);
        if (progress.position === BigInt(position)) expect(isPending).to.equal(true);
        return { isWritten: progress.position === BigInt(position), isPending };
      };
      // On a slow machine, the batch may be written only after the query.
      const findOrder = async (): Promise<boolean> => {
        for (let position = 2; position <= 6; position += 1) {
          const { isWritten, isPending } = await attempt(position);
          if (!isWritten && isPending) return true;
        }
        return false;
      };
      expect(await findOrder()).to.equal(true);
    } finally {
      await Promise.all([writer.close(), reader.close()]);
    }
  });
});
