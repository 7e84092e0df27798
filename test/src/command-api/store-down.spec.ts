import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectRefusal, play, popPath } from './sender.fixture.ts';

const timed = async <T>(work: Promise<T>) => {
  const began = performance.now();
  return { result: await work, ms: performance.now() - began };
};

describe('command-api: without the event store', function () {
  this.timeout(60_000);
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
  });
  after(() => api.close());

  it('answers 503 within 2 s and keeps nothing back, and goes on when it is there again', async () => {
    await api.node.kill9();
    for (let round = 0; round < 3; round++) {
      const { result, ms } = await timed(api.send(popPath, { events: [play()] }));
      expectRefusal(result, 503, 'UNAVAILABLE');
      expect(result.headers.get('retry-after')).to.match(/^\d+$/);
      expect(ms).to.be.lessThan(2_000);
    }
    const many = await Promise.all(Array.from({ length: 50 }, () => timed(api.send(popPath, { events: [play()] }))));
    expect(new Set(many.map(({ result }) => result.status))).to.deep.equal(new Set([503]));
    expect(Math.max(...many.map(({ ms }) => ms))).to.be.lessThan(2_000);
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

describe('command-api: with an event store that does not answer', function () {
  this.timeout(60_000);
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  it('gives up after 5 s with 503, and then sends others away at once', async () => {
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
    const pid = api.node.pid()!;
    process.kill(pid, 'SIGSTOP');
    try {
      const first = await timed(api.send(popPath, { events: [play()] }));
      expectRefusal(first.result, 503, 'UNAVAILABLE');
      expect(first.ms).to.be.within(4_500, 7_000);
      const next = await timed(api.send(popPath, { events: [play()] }));
      expectRefusal(next.result, 503, 'UNAVAILABLE');
      expect(next.ms).to.be.lessThan(500);
      // A retry with a key looks for what its first try left in the log: that look-up has an end, too.
      const told = { events: [play()] };
      const keyed = { headers: { 'Idempotency-Key': 'frozen' } };
      for (let round = 0; round < 3; round += 1) {
        const again = await timed(api.send(popPath, told, keyed));
        expect(again.result.status).to.equal(503);
        expect(again.ms).to.be.lessThan(7_000);
      }
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
