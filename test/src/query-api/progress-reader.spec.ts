import type { ClickHouseReader, Sql } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { createProgressReader } from '@popsvc/query-api/generations';
import { expect } from 'chai';
import sinon from 'sinon';

const progressAt = (position: string, more: object = {}) => [
  {
    generation: 1,
    partitions: 1,
    partition: 0,
    position,
    changed_position: position,
    as_of_ms: Number(position),
    ...more,
  },
];

describe('the progress of projections', () => {
  let clock: sinon.SinonFakeTimers;
  const reads: { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }[] = [];
  /** Number of partitions of each live generation. */
  let partitions = 1;
  const live = () =>
    ['registry', 'coffee'].map((projection) => ({ projection, generation: 1, tables_id: '', shards: 1, partitions }));
  const rows = async (query: Sql): Promise<unknown[]> =>
    query.relations.has('live_generations')
      ? live()
      : new Promise<unknown[]>((resolve, reject) => reads.push({ resolve, reject }));
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    reads.length = 0;
    partitions = 1;
  });
  afterEach(() => clock.restore());
  /** Lets a promise that was resolved run its callbacks. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const createReader = () => createProgressReader({ rows } as unknown as ClickHouseReader, createLog('test', 'silent'));

  it('is shared for 250 ms, and read again after a failure', async () => {
    const readProgress = createReader();
    const failed = readProgress('registry');
    await settle();
    reads[0]!.reject(new Error('no connection'));
    expect(await failed).to.equal(undefined);
    const both = [readProgress('registry'), readProgress('registry')];
    await settle();
    reads[1]!.resolve(progressAt('5'));
    for (const progress of await Promise.all(both)) expect(progress).to.include({ position: 5n });
    clock.tick(250);
    expect(await readProgress('registry')).to.include({ position: 5n });
    clock.tick(1);
    const later = readProgress('registry');
    await settle();
    reads[2]!.resolve(progressAt('6'));
    expect(await later).to.include({ position: 6n });
    expect(reads).to.have.length(3);
  });

  it('is where the last of the partitions is, and 0 while one of them has written nothing', async () => {
    partitions = 2;
    const of = async (rows: unknown[]) => {
      const progress = createReader()('registry');
      await settle();
      reads.at(-1)!.resolve(rows);
      return progress;
    };
    const first = [...progressAt('3', { partitions }), ...progressAt('8', { partitions })];
    expect(await of(first)).to.include({ position: 0n, changedPosition: 8n, asOfMs: 0 });
    const both = [...first, ...progressAt('5', { partitions, partition: 1 })];
    expect(await of(both)).to.include({ position: 5n, changedPosition: 8n, asOfMs: 5 });
    expect(await of([])).to.equal(undefined);
  });

  it('is read before the pending ranges, so that those of its batches are among them', async () => {
    const progress = createReader()('coffee');
    await settle();
    expect(reads).to.have.length(1);
    reads[0]!.resolve(progressAt('5'));
    await settle();
    reads[1]!.resolve([{ network: 7, last: 9, as_of_ms: 2 }]);
    expect(await progress).to.deep.include({
      position: 5n,
      pending: [{ network: 7, lastNetwork: 9, partitions: 1, shards: 1, asOfMs: 2 }],
    });
  });

  it('is kept when an older read fails later', async () => {
    const readProgress = createReader();
    const slow = readProgress('registry');
    await settle();
    clock.tick(251);
    const next = readProgress('registry');
    await settle();
    reads[1]!.resolve(progressAt('5'));
    expect(await next).to.include({ position: 5n });
    reads[0]!.reject(new Error('no connection'));
    expect(await slow).to.equal(undefined);
    expect(await readProgress('registry')).to.include({ position: 5n });
    expect(reads).to.have.length(2);
  });
});
