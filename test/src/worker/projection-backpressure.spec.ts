import { createProjectionBackpressure, type ProjectionBackpressure } from '@popsvc/command-api/worker';
import { BulkRowsIngested, bulkRowsStream } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import sinon from 'sinon';
import { flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';

type Positions = ReadonlyMap<number, bigint>;

/** Backpressure on a clock that advances only while it waits. `positionsAt`: the projected positions at a time in ms. */
const createOnFakeClock = (positionsAt: (ms: number) => Positions | Promise<Positions>) => {
  let nowMs = 0;
  const backpressure = createProjectionBackpressure(async () => positionsAt(nowMs), {
    now: () => nowMs,
    wait: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  });
  return {
    /** Records appends of 1,000 rows of a network at the positions `from` to `to`. */
    append: (from: number, to: number, network = 1) => {
      for (let position = from; position <= to; position += 1)
        backpressure.recordAppend({ network, rows: 1_000, position: BigInt(position) });
    },
    pass: (ms: number) => (nowMs += ms),
    /** Returns how long a job waits before its next append, in ms. */
    measureWait: async (isStopping: (ms: number) => boolean = () => false, network = 1) => {
      const beganMs = nowMs;
      await backpressure.waitForProjection(network, () => isStopping(nowMs));
      return nowMs - beganMs;
    },
  };
};

describe('backpressure of projections on bulk files', () => {
  it('waits while 12,000 rows are not projected, and continues when the checkpoint moves', async () => {
    const { append, measureWait } = createOnFakeClock((ms) => new Map([[1, ms < 3_000 ? 0n : 1n]]));
    append(1, 11);
    expect(await measureWait()).to.equal(0);
    append(12, 12);
    expect(await measureWait()).to.equal(3_000);
    append(13, 13);
    expect(await measureWait(), 'full again').to.be.greaterThan(0);
  });

  it('counts the rows of all networks, each against the checkpoint of its partition', async () => {
    const { append, measureWait } = createOnFakeClock(
      (ms) =>
        new Map([
          [1, ms < 1_000 ? 0n : 30n],
          [2, 100n],
        ]),
    );
    append(1, 8, 11);
    append(31, 60, 2);
    expect(await measureWait(undefined, 11), 'network 2 is projected').to.equal(0);
    append(101, 110, 32);
    expect(await measureWait(undefined, 11)).to.equal(1_000);
  });

  it('does not delay the file of a network that has no rows ahead', async () => {
    const { append, measureWait } = createOnFakeClock((ms) => new Map([[1, ms < 1_000 ? 0n : 60n]]));
    append(1, 60);
    expect(await measureWait(undefined, 21)).to.equal(0);
    append(61, 61, 21);
    expect(await measureWait(undefined, 21)).to.equal(1_000);
  });

  it('does not wait once the checkpoint has not moved for 10 s, until it moves again', async () => {
    let position = 0n;
    const { append, measureWait, pass } = createOnFakeClock(() => new Map([[1, position]]));
    append(1, 60);
    expect(await measureWait()).to.equal(10_000);
    append(61, 200);
    expect(await measureWait()).to.equal(0);
    position = 1n;
    pass(250);
    expect(await measureWait((ms) => ms >= 12_250)).to.equal(2_000);
  });

  it('does not limit the memory for a projection that does not move', async () => {
    const { append, measureWait } = createOnFakeClock(() => new Map([[1, 0n]]));
    append(1, 30_000);
    expect(await measureWait()).to.equal(10_000);
  });

  it('does not wait without a checkpoint, or while PostgreSQL does not answer', async () => {
    const without = createOnFakeClock(() => new Map([[2, 0n]]));
    const failing = createOnFakeClock(() => Promise.reject(new Error('connection refused')));
    const silent = createOnFakeClock(() => new Promise(() => undefined));
    for (const { append, measureWait } of [without, failing, silent]) {
      append(1, 60);
      expect(await measureWait()).to.equal(0);
    }
  });

  it('ends the wait when the job stops', async () => {
    const { append, measureWait } = createOnFakeClock(() => new Map([[1, 0n]]));
    append(1, 60);
    expect(await measureWait((ms) => ms >= 500)).to.equal(500);
  });
});

describe('a bulk job', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  afterEach(() => sinon.restore());
  after(() => shop.close());

  /** Backpressure that holds jobs of network 1 back until `release`, while the projection makes progress. */
  const holdBack = () => {
    let position = 0n;
    const backpressure = createProjectionBackpressure(() => Promise.resolve(new Map([[1, (position += 1n)]])));
    const end = 10n ** 15n;
    backpressure.recordAppend({ network: 1, rows: 40_000, position: end });
    let begin!: () => void;
    const waiting = new Promise<void>((resolve) => (begin = resolve));
    return {
      waiting,
      release: () => (position = end),
      backpressure: {
        ...backpressure,
        waitForProjection: (network: number, isStopping: () => boolean) => {
          begin();
          return backpressure.waitForProjection(network, isStopping);
        },
      },
    };
  };
  const threeRows = () => shop.queue('ndjson', ndjsonOf([1, 2, 3].map((number) => flatRow(number))));

  it('waits for the projection, and stops at once if its process stops meanwhile', async () => {
    const jobId = await threeRows();
    const { waiting, release, backpressure } = holdBack();
    const stop = new AbortController();
    const stopped = shop.work(jobId, { backpressure, signal: stop.signal });
    await Promise.race([waiting, stopped]);
    stop.abort();
    expect(await stopped).to.equal('stopped');
    expect(await shop.rows(jobId)).to.deep.equal([]);

    const working = shop.work(jobId, { backpressure });
    release();
    expect(await working).to.equal('ended');
    expect(await shop.rows(jobId)).to.have.length(3);
  });

  it('stops at once if it loses its lease while it waits', async () => {
    const jobId = await threeRows();
    const { waiting, backpressure } = holdBack();
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    const stopped = shop.work(jobId, { backpressure });
    await Promise.race([waiting, stopped]);
    // The lease was not renewed for so long that another process may hold it.
    clock.tick(12_000);
    expect(await stopped).to.equal('stopped');
    expect(await shop.rows(jobId)).to.deep.equal([]);
  });

  it('reports the position of each append, also of those that an earlier attempt stored', async () => {
    const jobId = await shop.queue('ndjson', ndjsonOf(Array.from({ length: 2_500 }, (_, at) => flatRow(at + 1))));
    const attempt = async (store: EventStore) => {
      const appends: unknown[] = [];
      const backpressure: ProjectionBackpressure = {
        recordAppend: (append) => appends.push(append),
        waitForProjection: () => Promise.resolve(),
      };
      await shop.work(jobId, { store, backpressure }).catch(() => undefined);
      return appends;
    };
    // Ends before it records progress.
    const interrupted: EventStore = {
      ...shop.store,
      append: (stream, events, options) =>
        events.some(({ type }) => type === BulkRowsIngested.type)
          ? Promise.reject(new Error('killed'))
          : shop.store.append(stream, events, options),
    };
    const [first, second] = [await attempt(interrupted), await attempt(shop.store)];
    const events = await shop.events(bulkRowsStream(1, jobId));
    const stored = [1_000, 1_000, 500].map((rows, at) => ({ network: 1, rows, position: events[at]!.position }));
    expect(first).to.deep.equal(stored);
    expect(second).to.deep.equal(stored);
  });
});
