import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/platform/auth';
import { expect } from 'chai';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { expectRefusal, play, popPath, type Reply, sender } from '../command-api/sender.fixture.ts';
import { until } from '../support/partner.ts';
import { percentile } from './chance.fixture.ts';
import { type FaultProxy, faultProxy } from './fault-proxy.fixture.ts';

const timed = async (work: Promise<Reply>) => {
  const began = performance.now();
  return { reply: await work, ms: performance.now() - began };
};

/** The intake as a process, with everything between it and its stores in our hands. */
describe('the intake, cut off from its stores', function () {
  this.timeout(120_000);
  let api: TestCommandApi;
  let log: FaultProxy;
  let records: FaultProxy;
  let service: CommandApiProcess;
  before(async () => {
    api = await commandApi();
    [log, records] = await Promise.all([faultProxy(api.node.url), faultProxy(api.databaseUrl)]);
    service = await startCommandApi(log.url, records.url);
  });
  afterEach(async () => {
    for (const proxy of [log, records]) proxy.heal();
    // Until it goes on.
    const { send } = await vendor('healed', 1);
    await until(
      () => send(popPath, { events: [play()] }),
      ({ status }) => status === 202,
    );
  });
  after(async () => {
    await service.stop();
    await api.close();
  });

  const vendor = async (name: string, network = 5, rates = {}) => {
    const { apiKey } = await createApiKey(api.records, { vendor: name, networkId: network, ...rates });
    const stream = intakeStream('pop', network, name, Date.now());
    const ids = async () => (await api.events(stream)).map(({ data }) => (data as { eventId: string }).eventId);
    return { apiKey, ids, send: sender(service.baseUrl, apiKey) };
  };

  it('says 503 when an append is not answered in time, keeps nobody waiting behind it, and stores its retry once', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, (_, index) => vendor(`slow${index}`)));
    const bodies = many.map(() => ({ events: [play(), play()] }));
    for (const { send } of many) expect((await send(popPath, { events: [play()] })).status).to.equal(202);
    const opened = log.opened();
    // Appends arrive and are written; nobody hears of it.
    log.disturb({ back: { isBlackHole: true } });
    const first = await Promise.all(many.map(({ send }, index) => timed(send(popPath, bodies[index]))));
    for (const { reply, ms } of first) {
      expectRefusal(reply, 503, 'UNAVAILABLE');
      expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      expect(ms).to.be.within(4_000, 7_500);
    }
    const next = await Promise.all(
      many.flatMap(({ send }) => [1, 2, 3].map(() => timed(send(popPath, { events: [play()] })))),
    );
    expect([...new Set(next.map(({ reply }) => reply.status))]).to.deep.equal([503]);
    expect(Math.max(...next.map(({ ms }) => ms)), 'sent away at once').to.be.lessThan(1_000);
    expect(log.opened() - opened, 'connections, of twelve that failed').to.be.lessThan(6);
    log.heal();
    for (const [index, { send, ids }] of many.entries()) {
      await until(
        () => send(popPath, bodies[index]),
        ({ status }) => status === 202,
      );
      const told = bodies[index]!.events.map(({ eventId }) => eventId);
      expect((await ids()).filter((id) => told.includes(id))).to.deep.equal(told);
    }
  });

  it('takes in over a network of 200 ms, and asks no more often for what does not answer', async () => {
    const { send, ids } = await vendor('far');
    for (const proxy of [log, records]) proxy.disturb({ there: { delayMs: 100 }, back: { delayMs: 100 } });
    const told = Array.from({ length: 10 }, () => play());
    const replies = await Promise.all(told.map((event) => send(popPath, { events: [event] })));
    expect(replies.map(({ status }) => status)).to.deep.equal(told.map(() => 202));
    expect((await ids()).toSorted()).to.deep.equal(told.map(({ eventId }) => eventId).toSorted());
    const opened = [log.opened(), records.opened()] as const;
    // One way alone: what is sent arrives nowhere, and nobody says so.
    for (const proxy of [log, records]) proxy.disturb({ there: { isBlackHole: true } });
    const stranger = await vendor('stranger');
    const unknown = await timed(stranger.send(popPath, { events: [play()] }));
    expectRefusal(unknown.reply, 503, 'UNAVAILABLE');
    expect(unknown.ms).to.be.lessThan(10_000);
    for (let round = 0; round < 5; round += 1) {
      const { reply, ms } = await timed(send(popPath, { events: [play()] }));
      expectRefusal(reply, 503, 'UNAVAILABLE');
      expect(ms).to.be.lessThan(7_500);
    }
    expect(log.opened() - opened[0], 'to the log').to.be.lessThan(8);
    expect(records.opened() - opened[1], 'to PostgreSQL').to.be.lessThan(30);
  });

  it('serves others while one vendor sends a hundred times what it may', async () => {
    const [noisy, quiet] = [
      await vendor('noisy', 6, { requestsPerSecond: 5, eventsPerSecond: 50 }),
      await vendor('quiet', 7),
    ];
    const latencies = async (count: number) => {
      const tookMs: number[] = [];
      for (let sent = 0; sent < count; sent += 1) {
        const { reply, ms } = await timed(quiet.send(popPath, { events: [play()] }));
        expect(reply.status).to.equal(202);
        tookMs.push(ms);
        await sleep(10);
      }
      return percentile(tookMs, 0.95);
    };
    const alone = await latencies(40);
    const answers = new Map<number, number>();
    const end = new AbortController();
    const noise = Array.from({ length: 4 }, async () => {
      while (!end.signal.aborted) {
        const { status } = await noisy.send(popPath, { events: Array.from({ length: 20 }, () => play()) });
        answers.set(status, (answers.get(status) ?? 0) + 1);
        await sleep(8);
      }
    });
    const beside = await latencies(40);
    end.abort();
    await Promise.all(noise);
    expect(answers.get(429)).to.be.greaterThan(20);
    expect([...answers.keys()].toSorted()).to.deep.equal([202, 429]);
    process.stdout.write(
      `      p95 of others: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside ${[...answers].map(([status, count]) => `${count} × ${status}`).join(', ')}\n`,
    );
    // Senders, services and this test share two cores; the ratio is for a machine that does nothing else.
    expect(beside).to.be.lessThan(alone * 1.5 + 500);
  });

  it('loses nothing it acknowledged when it is asked to stop under load, and is not ready meanwhile', async () => {
    const stopping = await startCommandApi(log.url, records.url);
    const { apiKey, ids } = await vendor('flow', 8);
    const send = sender(stopping.baseUrl, apiKey);
    await send(popPath, { events: [play()] });
    // So that there is always something under way.
    log.disturb({ back: { delayMs: 60 } });
    const acknowledged: string[] = [];
    const [statuses, ready] = [new Set<number>(), [] as number[]];
    const end = new AbortController();
    const senders = Array.from({ length: 6 }, async () => {
      while (!end.signal.aborted) {
        const event = play();
        const reply = await send(popPath, { events: [event] }).catch(() => undefined);
        if (reply) statuses.add(reply.status);
        if (reply?.status === 202) acknowledged.push(event.eventId);
        if (!reply) await sleep(10);
      }
    });
    await sleep(500);
    const before = acknowledged.length;
    process.kill(stopping.part.pid()!, 'SIGTERM');
    const asked = performance.now();
    const asking = (async () => {
      await sleep(5);
      while (!end.signal.aborted) {
        ready.push(
          await fetch(`${stopping.baseUrl}/readyz`).then(
            ({ status }) => status,
            () => 0,
          ),
        );
        await sleep(5);
      }
    })();
    const how = await stopping.part.ended;
    const tookMs = performance.now() - asked;
    end.abort();
    await Promise.all([...senders, asking]);
    expect(before).to.be.greaterThan(10);
    expect(acknowledged.length, 'what was under way was answered').to.be.greaterThan(before);
    expect(tookMs).to.be.lessThan(30_000);
    expect([...statuses]).to.deep.equal([202]);
    expect(ready, 'readiness').to.not.include(200);
    const stored = await ids();
    expect(acknowledged.filter((id) => !stored.includes(id))).to.deep.equal([]);
    expect(new Set(stored)).to.have.property('size', stored.length);
    process.stdout.write(
      `      over after ${tookMs.toFixed(0)} ms, ${JSON.stringify(how)}; ${acknowledged.length} acknowledged\n`,
    );
  });
});
