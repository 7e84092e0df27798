import { expect } from 'chai';
import { expectApiError, play, popPath } from '../command-api/sender.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type DisturbedIntake, startDisturbedIntake, timed } from './cut-off-intake.fixture.ts';

describe('the intake with disturbed connections to its stores', function () {
  let intake: DisturbedIntake;
  before(async () => {
    intake = await startDisturbedIntake();
  });
  afterEach(() => intake.heal());
  after(() => intake.close());

  it('answers 503 when an append times out, does not delay later requests, and stores the retry once', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, (_, index) => intake.vendor(`slow${index}`, 5)));
    const bodies = many.map(() => ({ events: [play(), play()] }));
    const keyOf = (index: number) => ({ headers: { 'Idempotency-Key': `slow-${index}` } });
    for (const { send } of many) expect((await send(popPath, { events: [play()] })).status).to.equal(202);
    const opened = intake.log.opened();
    // Appends arrive and are written; the responses are lost.
    intake.log.disturb({ back: { isBlackHole: true } });
    const first = await Promise.all(many.map(({ send }, index) => timed(send(popPath, bodies[index], keyOf(index)))));
    for (const { reply, ms } of first) {
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      expect(ms).to.be.within(4_000, 15_000);
    }
    const next = await Promise.all(
      many.flatMap(({ send }) => [1, 2, 3].map(() => timed(send(popPath, { events: [play()] })))),
    );
    expect([...new Set(next.map(({ reply }) => reply.status))]).to.deep.equal([503]);
    expect(Math.max(...next.map(({ ms }) => ms)), 'refused without waiting for the timeout of 5 s').to.be.lessThan(
      4_000,
    );
    expect(intake.log.opened() - opened, 'connections for twelve failed appends').to.be.lessThan(6);
    intake.log.heal();
    for (const [index, { send, ids }] of many.entries()) {
      await waitUntil(
        () => send(popPath, bodies[index], keyOf(index)),
        ({ status }) => status === 202,
      );
      const sent = bodies[index]!.events.map(({ eventId }) => eventId);
      expect((await ids()).filter((id) => sent.includes(id))).to.deep.equal(sent);
    }
  });

  it('accepts events over a network with 200 ms of latency, and opens few connections to a store that does not respond', async () => {
    const { send, ids } = await intake.vendor('far', 5);
    for (const proxy of [intake.log, intake.postgres])
      proxy.disturb({ there: { delayMs: 100 }, back: { delayMs: 100 } });
    const sent = Array.from({ length: 10 }, () => play());
    const replies = await Promise.all(sent.map((event) => send(popPath, { events: [event] })));
    expect(replies.map(({ status }) => status)).to.deep.equal(sent.map(() => 202));
    expect((await ids()).toSorted()).to.deep.equal(sent.map(({ eventId }) => eventId).toSorted());
    const opened = [intake.log.opened(), intake.postgres.opened()] as const;
    // In one direction only: requests do not arrive, and no error is returned.
    for (const proxy of [intake.log, intake.postgres]) proxy.disturb({ there: { isBlackHole: true } });
    const unverified = await intake.vendor('unverified', 5);
    const unknown = await timed(unverified.send(popPath, { events: [play()] }));
    expectApiError(unknown.reply, 503, 'UNAVAILABLE');
    expect(unknown.ms).to.be.lessThan(20_000);
    for (let round = 0; round < 5; round += 1) {
      const { reply, ms } = await timed(send(popPath, { events: [play()] }));
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(ms).to.be.lessThan(15_000);
    }
    expect(intake.log.opened() - opened[0], 'to the log').to.be.lessThan(8);
    expect(intake.postgres.opened() - opened[1], 'to PostgreSQL').to.be.lessThan(30);
  });
});
