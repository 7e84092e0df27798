import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { smallHeap } from '../command-api/command-api-process.fixture.ts';
import { play, popPath } from '../command-api/sender.fixture.ts';
import { waitUntil, quantile } from '@popsvc/tools/rig';
import { type DisturbedIntake, startDisturbedIntake, timed } from './cut-off-intake.fixture.ts';

describe('the intake under overload', function () {
  let intake: DisturbedIntake;
  before(async () => {
    intake = await startDisturbedIntake();
  });
  afterEach(() => intake.heal());
  after(() => intake.close());

  it('serves other vendors while one sends a hundred times its limit', async () => {
    const [noisy, quiet] = [
      await intake.vendor('noisy', 6, { requestsPerSecond: 5, eventsPerSecond: 50 }),
      await intake.vendor('quiet', 7),
    ];
    const latencies = async (count: number) => {
      const tookMs: number[] = [];
      for (let sent = 0; sent < count; sent += 1) {
        const { reply, ms } = await timed(quiet.send(popPath, { events: [play()] }));
        expect(reply.status).to.equal(202);
        tookMs.push(ms);
        await sleep(10);
      }
      return quantile(tookMs, 0.95);
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
    const withNoise = await latencies(40);
    end.abort();
    await Promise.all(noise);
    expect(answers.get(429)).to.be.greaterThan(20);
    expect([...answers.keys()].toSorted()).to.deep.equal([202, 429]);
    process.stdout.write(
      `      p95 of others: ${alone.toFixed(0)} ms alone, ${withNoise.toFixed(0)} ms with ${[...answers].map(([status, count]) => `${count} × ${status}`).join(', ')}\n`,
    );
    // Senders, services and this test share two cores; the ratio is for a machine that does nothing else.
    expect(withNoise).to.be.lessThan(alone * 1.5 + 500);
  });

  it('sheds bodies in a heap of 128 MB and continues', async () => {
    const small = await intake.start(smallHeap);
    const large = await intake.vendor('large', 9, { requestsPerSecond: 1_000, eventsPerSecond: 1_000_000 });
    const send = large.sendTo(small);
    expect((await send(popPath, { events: [play()] })).status).to.equal(202);
    const body = JSON.stringify({
      events: Array.from({ length: 1_000 }, () => play({ context: { text: 'x'.repeat(4_000) } })),
    });
    // No request can be answered before the append times out, so all are held at once.
    intake.log.disturb({ there: { isBlackHole: true } });
    const replies = await Promise.all(Array.from({ length: 30 }, () => send(popPath, body).catch(() => undefined)));
    // Refused large bodies use up the caller's allowance for them; further ones receive 429.
    for (const reply of replies) expect(reply?.status).to.be.oneOf([503, 429]);
    intake.log.heal();
    await waitUntil(
      () => send(popPath, { events: [play()] }),
      ({ status }) => status === 202,
    );
    const peakMb =
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${small.part.pid()!}/status`, 'utf8'))?.[1]) / 1_024;
    process.stdout.write(`      at most ${peakMb.toFixed(0)} MB resident\n`);
    const shed = replies.filter((reply) => reply?.status === 429 || /busy/.test(reply?.body.message ?? ''));
    expect(shed.length, 'shed before they were read').to.be.greaterThan(15);
    // About the memory of a container whose heap may take half.
    expect(peakMb).to.be.lessThan(280);
    await small.stop();
  });

  it('loses no acknowledged event when it receives SIGTERM under load, and is not ready meanwhile', async () => {
    const stopping = await intake.start();
    const { sendTo, ids } = await intake.vendor('flow', 8);
    const send = sendTo(stopping);
    await send(popPath, { events: [play()] });
    // Slow responses keep requests running.
    intake.log.disturb({ back: { delayMs: 60 } });
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
    await waitUntil(
      () => Promise.resolve(acknowledged.length),
      (count) => count > 10,
    );
    const before = acknowledged.length;
    process.kill(stopping.part.pid()!, 'SIGTERM');
    const signalledAt = performance.now();
    const probing = (async () => {
      // Until the signal arrives, the process is ready.
      await stopping.stops;
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
    const tookMs = performance.now() - signalledAt;
    end.abort();
    await Promise.all([...senders, probing]);
    expect(acknowledged.length, 'running requests are answered').to.be.greaterThan(before);
    expect(tookMs).to.be.lessThan(30_000);
    expect([...statuses]).to.deep.equal([202]);
    expect(ready, 'readiness').to.not.be.empty.and.not.include(200);
    const stored = await ids();
    expect(acknowledged.filter((id) => !stored.includes(id))).to.deep.equal([]);
    expect(new Set(stored)).to.have.property('size', stored.length);
    process.stdout.write(
      `      over after ${tookMs.toFixed(0)} ms, ${JSON.stringify(how)}; ${acknowledged.length} acknowledged\n`,
    );
  });
});
