import { setTimeout as sleep } from 'node:timers/promises';
import { createRowsEventFactory, JobFencedError, readJob } from '@popsvc/command-api/worker';
import { BulkIngestStarted, bulkJobStream, bulkRowsStream } from '@popsvc/contracts/events';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import sinon from 'sinon';
import { flatRow, workshop, type Workshop } from './worker.fixture.ts';

const plays = (count: number) => Array.from({ length: count }, (_, at) => flatRow(at + 1));
const isBad = (row: number) => row % 100 === 7;
const withBadRows = (count: number) =>
  plays(count)
    .map((play, at) => (isBad(at + 1) ? 'x\n' : `${JSON.stringify(play)}\n`))
    .join('');

class Killed extends Error {}

describe('attempts at a bulk job', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  afterEach(() => sinon.restore());
  after(() => shop.close());

  /** Wraps the event store's appends to streams of one kind. */
  const between = (
    prefix: string,
    append: (real: () => ReturnType<EventStore['append']>, nth: number) => ReturnType<EventStore['append']>,
  ): EventStore => {
    let nth = 0;
    return {
      ...shop.store,
      append: (stream, events, options) => {
        const real = () => shop.store.append(stream, events, options);
        return stream.startsWith(prefix) ? append(real, (nth += 1)) : real();
      },
    };
  };
  const expectWhole = async (jobId: string, count: number) => {
    const { status, totalRows, processedRows, errorRows, errors } = await shop.job(jobId);
    // Compared as text: comparing thousands of objects takes seconds.
    const textOf = (row: readonly [number, unknown]) => JSON.stringify(row);
    const good = plays(count).flatMap((play, at) => (isBad(at + 1) ? [] : [textOf([at + 1, play])]));
    expect((await shop.rows(jobId)).map(textOf)).to.deep.equal(good);
    expect([totalRows, processedRows, errorRows]).to.deep.equal([count, good.length, count - good.length]);
    expect(status).to.equal('partially_completed');
    const bad = Array.from({ length: count }, (_, at) => at + 1).filter(isBad);
    expect(errors.map(({ row }) => row)).to.deep.equal(bad);
    const ends = (await shop.events(bulkJobStream(jobId))).filter(({ type }) => /Completed|Failed/.test(type));
    expect(ends).to.have.length(1);
  };

  it('continue where the last one stopped, after any of its writes', async function () {
    for (const [prefix, last] of [
      ...[1, 2, 3, 5, 8].map((nth) => ['bulk-', nth] as const),
      ...[1, 2].map((nth) => ['bulkJob-', nth] as const),
    ])
      for (const landed of [true, false]) {
        // 1,000 rows fit into one append: this is one more append than may run at a time.
        const count = prefix === 'bulk-' ? 1_000 * (last + 1) : 2_000;
        const jobId = await shop.queue('ndjson', withBadRows(count));
        const store = between(prefix, async (real, nth) => {
          if (nth === last && landed) await real();
          if (nth >= last) throw new Killed();
          return real();
        });
        const failure = await shop.work(jobId, { store }).catch((error: unknown) => error);
        expect(failure, `${prefix} ${last}`).to.be.instanceOf(Killed);
        // Appends in flight may still be stored.
        expect(await shop.work(jobId)).to.equal('ended');
        await expectWhole(jobId, count);
      }
  });

  it('begin after the last recorded row and continue its counts', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(9_000));
    // A job records its progress once a second. The sixth append begins after the third has ended.
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    const slow = between('bulk-', async (real, nth) => {
      if (nth === 6) clock.tick(1_000);
      if (nth > 6) throw new Killed();
      return real();
    });
    await shop.work(jobId, { store: slow }).catch(() => undefined);
    clock.restore();
    const { toRow, nextRevision } = await shop.job(jobId);
    expect(toRow).to.be.at.least(3_000).and.lessThan(7_000);
    const firsts: unknown[] = [];
    const watched: EventStore = {
      ...shop.store,
      append: (stream, events, options) => {
        if (stream.startsWith('bulk-')) firsts.push(options?.expected);
        return shop.store.append(stream, events, options);
      },
    };
    expect(await shop.work(jobId, { store: watched })).to.equal('ended');
    expect(firsts[0]).to.equal(BigInt(nextRevision - 1));
    await expectWhole(jobId, 9_000);
  });

  it('record all progress when they are stopped', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(5_000));
    const stop = new AbortController();
    const store = between('bulk-', (real, nth) => {
      if (nth === 3) stop.abort();
      return real();
    });
    expect(await shop.work(jobId, { store, signal: stop.signal })).to.equal('stopped');
    const { status, toRow, nextRevision } = await shop.job(jobId);
    expect(status).to.equal('processing');
    expect(toRow).to.be.greaterThan(0).and.lessThan(5_000);
    expect(await shop.events(bulkRowsStream(1, jobId))).to.have.length(nextRevision);
    expect(await shop.work(jobId)).to.equal('ended');
    await expectWhole(jobId, 5_000);
  });

  it('run one at a time: a second one is busy while the first runs', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(4_000));
    let meanwhile: string | undefined;
    const store = between('bulk-', async (real, nth) => {
      if (nth === 2) meanwhile = await shop.work(jobId);
      return real();
    });
    expect(await shop.work(jobId, { store })).to.equal('ended');
    expect(meanwhile).to.equal('busy');
    await expectWhole(jobId, 4_000);
  });

  it('that paused while another one continued are fenced off and store nothing', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(5_000));
    let next: ReturnType<Workshop['work']> | undefined;
    const store = between('bulk-', async (real, nth) => {
      // The same owner takes the lease over at once, as if it had expired.
      if (nth === 4) await (next = shop.work(jobId, { owner: 'same' }));
      return real();
    });
    const failure = await shop.work(jobId, { store, owner: 'same' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(JobFencedError);
    // The first attempt may fail when it records progress, while the second one still runs.
    expect(await next).to.equal('ended');
    await expectWhole(jobId, 5_000);
  });

  it('wait for an event store that does not answer', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(5_000));
    const down = (real: () => ReturnType<EventStore['append']>, nth: number) =>
      nth % 3 === 2 ? real().then(() => Promise.reject(new EventStoreUnavailable('landed'))) : real();
    const rows = between('bulk-', down);
    let silent = 0;
    const store: EventStore = {
      ...rows,
      append: (stream, events, options) => {
        if (stream.startsWith('bulkJob-') && (silent += 1) % 2 === 1)
          return Promise.reject(new EventStoreUnavailable('silent'));
        return rows.append(stream, events, options);
      },
    };
    expect(await shop.work(jobId, { store })).to.equal('ended');
    await expectWhole(jobId, 5_000);
    expect((await shop.job(jobId)).attempt).to.equal(1);
  });

  it('survive a kill of the event store', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(5_000));
    // So that the job still runs when the event store is killed, on fast machines too.
    const working = shop.work(jobId, { store: between('bulk-', (real) => sleep(150).then(real)) });
    while ((await shop.rows(jobId)).length < 1_000) await sleep(20);
    await shop.node.kill9();
    await sleep(300);
    await shop.node.restart();
    expect(await working).to.equal('ended');
    await expectWhole(jobId, 5_000);
  });

  it('continue after the rows that an attempt with other chunks has stored', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(4_000));
    const toEvent = createRowsEventFactory((await readJob(shop.store, jobId))!);
    const rows = plays(1_500)
      .map((event, at) => ({ row: at + 1, event }))
      .filter(({ row }) => !isBad(row));
    for (const [revision, [from, to]] of [[0, 333] as const, [333, 1_200] as const].entries())
      await shop.store.append(bulkRowsStream(1, jobId), [toEvent(rows.slice(from, to))], {
        expected: revision === 0 ? 'no_stream' : BigInt(revision - 1),
      });
    expect(await shop.work(jobId)).to.equal('ended');
    await expectWhole(jobId, 4_000);
  });

  it('end with an error if the stream has other rows at a revision', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(4_000));
    const toEvent = createRowsEventFactory((await readJob(shop.store, jobId))!);
    const append = (events: Parameters<EventStore['append']>[1]) =>
      shop.store.append(bulkRowsStream(1, jobId), events, { expected: 'no_stream' });
    // Another attempt appends after this one has read what is stored.
    const store = between('bulk-', async (real, nth) => {
      if (nth === 1) await append([toEvent([{ row: 1, event: flatRow(1) }])]);
      return real();
    });
    const failure = await shop.work(jobId, { store }).catch((error: unknown) => String(error));
    expect(failure).to.include('unexpected event at revision 0');
  });

  it('end with a failed job after five in a row that stored no rows', async () => {
    const jobId = await shop.queue('ndjson', withBadRows(100));
    const store = between('bulk-', () => Promise.reject(new Killed()));
    for (let nth = 1; nth <= 5; nth += 1) {
      const failure = await shop.work(jobId, { store }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Killed);
    }
    expect(await shop.work(jobId)).to.equal('ended');
    const { status, reason } = await shop.job(jobId);
    expect([status, reason]).to.deep.equal(['failed', '5 attempts in a row stored no rows.']);
    const starts = (await shop.events(bulkJobStream(jobId))).filter(({ type }) => type === BulkIngestStarted.type);
    expect(starts).to.have.length(5);
  });
});
