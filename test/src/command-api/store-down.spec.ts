import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

/** Less than the timeout of an append, 5 s: the request did not wait for one. */
const noTimeoutMs = 4_500;

const timed = async <T>(work: Promise<T>) => {
  const began = performance.now();
  return { result: await work, ms: performance.now() - began };
};

describe('command-api: while the event store is down', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
  });
  after(() => api.close());

  it('responds 503 without waiting, queues nothing, and recovers when the event store is back', async () => {
    await api.node.kill9();
    for (let round = 0; round < 3; round++) {
      const { result, ms } = await timed(api.send(popPath, { events: [play()] }));
      expectApiError(result, 503, 'UNAVAILABLE');
      expect(result.headers.get('retry-after')).to.match(/^\d+$/);
      expect(ms).to.be.lessThan(noTimeoutMs);
    }
    const many = await Promise.all(Array.from({ length: 50 }, () => timed(api.send(popPath, { events: [play()] }))));
    expect(new Set(many.map(({ result }) => result.status))).to.deep.equal(new Set([503]));
    expect(Math.max(...many.map(({ ms }) => ms))).to.be.lessThan(noTimeoutMs);
    const ready = await fetch(`${api.baseUrl}/readyz`);
    expect(ready.status).to.equal(503);
    expect(((await ready.json()) as { error: { details: { path: string }[] } }).error.details[0]?.path).to.equal(
      'event-store',
    );
    expect((await fetch(`${api.baseUrl}/healthz`)).status).to.equal(200);

    await api.node.restart();
    const until = performance.now() + 15_000;
    let reply = await api.send(popPath, { events: [play()] });
    while (reply.status === 503 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      reply = await api.send(popPath, { events: [play()] });
    }
    expect(reply.status).to.equal(202);
    let readiness = await fetch(`${api.baseUrl}/readyz`);
    while (!readiness.ok && performance.now() < until) readiness = await fetch(`${api.baseUrl}/readyz`);
    expect(readiness.status).to.equal(200);
  });
});

describe('command-api: while the event store does not answer', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  it('responds 503 after 5 s, and then at once', async () => {
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
    const pid = api.node.pid()!;
    process.kill(pid, 'SIGSTOP');
    try {
      const first = await timed(api.send(popPath, { events: [play()] }));
      expectApiError(first.result, 503, 'UNAVAILABLE');
      expect(first.ms).to.be.within(4_500, 15_000);
      const next = await timed(api.send(popPath, { events: [play()] }));
      expectApiError(next.result, 503, 'UNAVAILABLE');
      expect(next.ms).to.be.lessThan(noTimeoutMs);
      // A retry with an idempotency key searches the stream for events of the first attempt; that search has a timeout too.
      const body = { events: [play()] };
      const keyed = { headers: { 'Idempotency-Key': 'frozen' } };
      for (let round = 0; round < 3; round += 1) {
        const again = await timed(api.send(popPath, body, keyed));
        expect(again.result.status).to.equal(503);
        expect(again.ms).to.be.lessThan(15_000);
      }
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
