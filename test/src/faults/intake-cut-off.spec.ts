import { expect } from 'chai';
import { expectApiError, play, popPath } from '../command-api/sender.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type CutOffIntake, cutOffIntake, timed } from './cut-off-intake.fixture.ts';

describe('the intake, cut off from its stores', function () {
  this.timeout(120_000);
  let intake: CutOffIntake;
  before(async () => {
    intake = await cutOffIntake();
  });
  afterEach(() => intake.heal());
  after(() => intake.close());

  it('says 503 when an append is not answered in time, keeps nobody waiting behind it, and stores its retry once', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, (_, index) => intake.vendor(`slow${index}`, 5)));
    const bodies = many.map(() => ({ events: [play(), play()] }));
    for (const { send } of many) expect((await send(popPath, { events: [play()] })).status).to.equal(202);
    const opened = intake.log.opened();
    // Appends arrive and are written; nobody hears of it.
    intake.log.disturb({ back: { isBlackHole: true } });
    const first = await Promise.all(many.map(({ send }, index) => timed(send(popPath, bodies[index]))));
    for (const { reply, ms } of first) {
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      expect(ms).to.be.within(4_000, 7_500);
    }
    const next = await Promise.all(
      many.flatMap(({ send }) => [1, 2, 3].map(() => timed(send(popPath, { events: [play()] })))),
    );
    expect([...new Set(next.map(({ reply }) => reply.status))]).to.deep.equal([503]);
    expect(Math.max(...next.map(({ ms }) => ms)), 'sent away at once').to.be.lessThan(1_000);
    expect(intake.log.opened() - opened, 'connections, of twelve that failed').to.be.lessThan(6);
    intake.log.heal();
    for (const [index, { send, ids }] of many.entries()) {
      await waitUntil(
        () => send(popPath, bodies[index]),
        ({ status }) => status === 202,
      );
      const told = bodies[index]!.events.map(({ eventId }) => eventId);
      expect((await ids()).filter((id) => told.includes(id))).to.deep.equal(told);
    }
  });

  it('takes in over a network of 200 ms, and asks no more often for what does not answer', async () => {
    const { send, ids } = await intake.vendor('far', 5);
    for (const proxy of [intake.log, intake.records])
      proxy.disturb({ there: { delayMs: 100 }, back: { delayMs: 100 } });
    const told = Array.from({ length: 10 }, () => play());
    const replies = await Promise.all(told.map((event) => send(popPath, { events: [event] })));
    expect(replies.map(({ status }) => status)).to.deep.equal(told.map(() => 202));
    expect((await ids()).toSorted()).to.deep.equal(told.map(({ eventId }) => eventId).toSorted());
    const opened = [intake.log.opened(), intake.records.opened()] as const;
    // One way alone: what is sent arrives nowhere, and nobody says so.
    for (const proxy of [intake.log, intake.records]) proxy.disturb({ there: { isBlackHole: true } });
    const stranger = await intake.vendor('stranger', 5);
    const unknown = await timed(stranger.send(popPath, { events: [play()] }));
    expectApiError(unknown.reply, 503, 'UNAVAILABLE');
    expect(unknown.ms).to.be.lessThan(10_000);
    for (let round = 0; round < 5; round += 1) {
      const { reply, ms } = await timed(send(popPath, { events: [play()] }));
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(ms).to.be.lessThan(7_500);
    }
    expect(intake.log.opened() - opened[0], 'to the log').to.be.lessThan(8);
    expect(intake.records.opened() - opened[1], 'to PostgreSQL').to.be.lessThan(30);
  });
});
