import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** The event store stored an append and its response was lost; a retry searches the stream. */
describe('command-api: retries after an outage of the event store', () => {
  let api: TestCommandApi;
  /** Appends lose their response; reads fail or are slow. */
  let [losesAnswers, losesReads, readMs] = [false, false, 0];
  let [reading, mostReading, lostAnswers] = [0, 0, 0];
  before(async () => {
    const between = (real: EventStore): EventStore => ({
      ...real,
      async append(stream, events, options) {
        const appended = await real.append(stream, events, options);
        if (!losesAnswers) return appended;
        lostAnswers += 1;
        throw new EventStoreUnavailable('stumbled');
      },
      async *readStream(stream, options) {
        if (losesReads) throw new EventStoreUnavailable('stumbled');
        reading += 1;
        mostReading = Math.max(mostReading, reading);
        try {
          for await (const event of real.readStream(stream, options)) {
            await sleep(readMs);
            yield event;
          }
        } finally {
          reading -= 1;
        }
      },
    });
    api = await commandApi({ between, timeouts: { readMs: 3_000 } });
    await registerPlaces(api.store);
  });
  beforeEach(() => {
    [losesAnswers, losesReads, readMs, reading, mostReading] = [false, false, 0, 0, 0];
  });
  after(() => api.close());

  /** Sends a request that is stored and answered with 503. */
  const lost = async (key: string) => {
    const [body, before] = [{ events: [play()] }, lostAnswers];
    losesAnswers = true;
    // Until a ping succeeds after the previous failure, requests are rejected and not stored.
    while (lostAnswers === before) {
      expectApiError(await api.send(popPath, body, keyed(key)), 503, 'UNAVAILABLE');
      await sleep(20);
    }
    losesAnswers = false;
    return { key, body };
  };
  const retry = ({ key, body }: Awaited<ReturnType<typeof lost>>) => api.send(popPath, body, keyed(key));
  /** Retries until a ping of the event store has succeeded. */
  const accepted = async (request: Awaited<ReturnType<typeof lost>>) => {
    for (;;) {
      const reply = await retry(request);
      if (reply.status !== 503) return reply;
      await sleep(50);
    }
  };

  it('search the stream one at a time', async () => {
    const all = [];
    for (const key of ['a', 'b', 'c', 'd']) all.push(await lost(key));
    await accepted(all[0]!);
    [mostReading, readMs] = [0, 5];
    const replies = await Promise.all(all.slice(1).map(retry));
    expect(replies.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).to.deep.equal(
      Array.from({ length: 3 }, () => [202, 'true']),
    );
    expect(mostReading).to.equal(1);
  });

  it('search as long as the event store delivers events', async () => {
    for (let sent = 0; sent < 40; sent += 1) await api.send(popPath, { events: [play()] });
    const request = await lost('long');
    await accepted(await lost('other'));
    readMs = 90;
    const began = performance.now();
    const { status, headers } = await retry(request);
    expect([status, headers.get('idempotency-replayed')]).to.deep.equal([202, 'true']);
    expect(performance.now() - began).to.be.greaterThan(3_000);
  });

  it('search up to the last attempt that may have stored events', async () => {
    const request = await lost('again');
    await accepted(await lost('another'));
    const triedAt = async () => {
      const { rows } = await api.postgres.query<{ tried_at: Date; attempt: number }>(
        `SELECT tried_at, attempt FROM idempotency_keys WHERE key = 'again'`,
      );
      return rows[0]!;
    };
    const first = await triedAt();
    losesReads = true;
    expectApiError(await retry(request), 503, 'UNAVAILABLE');
    const second = await triedAt();
    expect(second.attempt).to.be.greaterThan(first.attempt);
    expect(second.tried_at).to.deep.equal(first.tried_at);
    losesReads = false;
    expect((await accepted(request)).status).to.equal(202);
  });
});
