import { defaultIntakeTimeouts } from '@popsvc/command-api/intake';
import type { EventStore } from '@popsvc/platform/event-store';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

/** Counts the append calls of the service. */
const countAppends = () => {
  let appends = 0;
  const between = (real: EventStore): EventStore => ({
    ...real,
    append(...call) {
      appends += 1;
      return real.append(...call);
    },
  });
  return { between, appends: () => appends };
};

describe('command-api: while the event store is down', function () {
  const { between, appends } = countAppends();
  let api: TestCommandApi;
  before(async () => {
    // Longer than the test may take: it fails if a request waits for the timeout of its append.
    api = await commandApi({ between, timeouts: { appendMs: 600_000 } });
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
  });
  after(() => api.close());

  it('responds 503 without waiting, queues nothing, and recovers when the event store is back', async () => {
    await api.node.kill9();
    const before = appends();
    for (let round = 0; round < 3; round++) {
      const reply = await api.send(popPath, { events: [play()] });
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
    }
    const many = await Promise.all(Array.from({ length: 50 }, () => api.send(popPath, { events: [play()] })));
    expect(new Set(many.map(({ status }) => status))).to.deep.equal(new Set([503]));
    expect(appends(), 'only the first request calls the event store').to.equal(before + 1);
    const ready = await fetch(`${api.baseUrl}/readyz`);
    expect(ready.status).to.equal(503);
    expect(((await ready.json()) as { error: { details: { path: string }[] } }).error.details[0]?.path).to.equal(
      'event-store',
    );
    expect((await fetch(`${api.baseUrl}/healthz`)).status).to.equal(200);

    await api.node.restart();
    const reply = await waitUntil(
      () => api.send(popPath, { events: [play()] }),
      ({ status }) => status !== 503,
    );
    expect(reply.status).to.equal(202);
    await api.untilReady();
  });
});

describe('command-api: while the event store does not answer', function () {
  const { between, appends } = countAppends();
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ between, timeouts: defaultIntakeTimeouts });
  });
  after(() => api.close());

  it('responds 503 after 5 s, and then at once', async () => {
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
    const pid = api.node.pid()!;
    process.kill(pid, 'SIGSTOP');
    try {
      const began = performance.now();
      expectApiError(await api.send(popPath, { events: [play()] }), 503, 'UNAVAILABLE');
      expect(performance.now() - began).to.be.greaterThan(4_500);
      const before = appends();
      expectApiError(await api.send(popPath, { events: [play()] }), 503, 'UNAVAILABLE');
      const body = { events: [play()] };
      const keyed = { headers: { 'Idempotency-Key': 'frozen' } };
      for (let round = 0; round < 3; round += 1) {
        const again = await api.send(popPath, body, keyed);
        expect(again.status).to.equal(503);
      }
      expect(appends()).to.equal(before);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
