import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import { expectRefusal, play, popPath } from './sender.fixture.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** What a try stored of which nobody heard is looked for in the log. */
describe('command-api: requests told again after the event store was away', () => {
  let api: TestCommandApi;
  /** The answer to an append is lost; reads fail, or take their time. */
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
    api = await commandApi({ between });
    await registerPlaces(api.store);
  });
  beforeEach(() => {
    [losesAnswers, losesReads, readMs, reading, mostReading] = [false, false, 0, 0, 0];
  });
  after(() => api.close());

  /** Stored, and nobody has heard of it. */
  const lost = async (key: string) => {
    const [body, before] = [{ events: [play()] }, lostAnswers];
    losesAnswers = true;
    // After the one before it is refused until the store has answered again, and is not stored then.
    while (lostAnswers === before) {
      expectRefusal(await api.send(popPath, body, keyed(key)), 503, 'UNAVAILABLE');
      await sleep(20);
    }
    losesAnswers = false;
    return { key, body };
  };
  const told = ({ key, body }: Awaited<ReturnType<typeof lost>>) => api.send(popPath, body, keyed(key));
  /** Until the store has answered again, everybody is sent away. */
  const accepted = async (request: Awaited<ReturnType<typeof lost>>) => {
    for (;;) {
      const reply = await told(request);
      if (reply.status !== 503) return reply;
      await sleep(50);
    }
  };

  it('are looked for by one at a time', async () => {
    const all = [];
    for (const key of ['a', 'b', 'c', 'd']) all.push(await lost(key));
    await accepted(all[0]!);
    [mostReading, readMs] = [0, 5];
    const replies = await Promise.all(all.slice(1).map(told));
    expect(replies.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).to.deep.equal(
      Array.from({ length: 3 }, () => [202, 'true']),
    );
    expect(mostReading).to.equal(1);
  });

  it('are looked for as long as the log is told', async () => {
    await api.send(popPath, { events: Array.from({ length: 40 }, () => play()) });
    const request = await lost('long');
    await accepted(await lost('other'));
    readMs = 90;
    const began = performance.now();
    const { status, headers } = await told(request);
    expect([status, headers.get('idempotency-replayed')]).to.deep.equal([202, 'true']);
    expect(performance.now() - began).to.be.greaterThan(3_000);
  });

  it('are looked for in what was written by the last try that may have stored something, and not past it', async () => {
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
    expectRefusal(await told(request), 503, 'UNAVAILABLE');
    const second = await triedAt();
    expect(second.attempt).to.be.greaterThan(first.attempt);
    expect(second.tried_at).to.deep.equal(first.tried_at);
    losesReads = false;
    expect((await accepted(request)).status).to.equal(202);
  });
});
