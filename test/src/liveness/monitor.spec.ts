import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { type Ground, openGround } from '../message-bus/buses.fixture.ts';
import {
  at,
  beat,
  changesOf,
  forget,
  logged,
  monitored,
  nextDay,
  probe,
  tellBeats,
  time,
} from './monitored.fixture.ts';

describe('the monitor of liveness', () => {
  let ground: Ground;
  before(async () => (ground = await openGround()));
  after(() => ground.close());
  /** Others in each test, in one log: those of former tests are offline for good. */
  let id = 0;
  beforeEach(async () => {
    id += 10;
    await nextDay(ground);
  });

  const device = (which = id) => changesOf(ground.store, { kind: 'device', id: which });
  const feeder = (which = id) => changesOf(ground.store, { kind: 'feeder', id: which });
  const heardAt = (...seconds: number[]) =>
    tellBeats(
      ground.store,
      seconds.map((each) => beat(each, { deviceId: id })),
    );
  const own = async () =>
    (await logged(ground.store)).filter(({ stream }) =>
      [`liveness-device.${id}`, `liveness-feeder.${id}`].includes(stream),
    );
  const known = async () =>
    (
      await ground.postgres.query<{ told: string }>(
        `SELECT kind || ' ' || status AS told FROM liveness WHERE id = ${id} ORDER BY 1`,
      )
    ).rows.map(({ told }) => told);

  it('records when something was heard first, fell silent and was heard again, each once', async () => {
    const first = beat(0, { deviceId: id });
    await tellBeats(ground.store, [first, beat(60, { deviceId: id, appCode: 'player', state: 'stopped' })]);
    await heardAt(360, 1_000, 1_060);
    await monitored(ground).until(1_070);
    expect(await device()).to.equal('+0 -660 +1000');
    const [event, silence] = await own();
    expect(event).to.deep.include({
      type: 'DeviceWentOnline',
      data: { deviceId: id, onlineAt: at(0), offlineSince: null },
    });
    expect(event!.metadata).to.deep.equal({
      schemaVersion: 1,
      network: 1,
      receivedAt: at(1_070),
      causationId: first.id,
    });
    expect(silence).to.deep.include({
      type: 'DeviceWentOffline',
      data: { deviceId: id, offlineAt: at(660), lastReceivedAt: at(360) },
    });
    expect(await known()).to.deep.equal(['device online']);
  });

  it('counts a feeder for itself, and only what came within 300 s of its `at`', async () => {
    await tellBeats(ground.store, [
      beat(0, { feederId: id }),
      beat(10, { feederId: id + 1, at: 310 }),
      beat(20, { feederId: id + 2, at: 321 }),
      beat(301, { deviceId: id + 3, at: 0 }),
    ]);
    await monitored(ground).until(400);
    expect([await feeder(), await feeder(id + 1), await feeder(id + 2)]).to.deep.equal(['+0', '+10', '']);
    expect([await device(), await device(id + 3)]).to.deep.equal(['', '']);
  });

  it('never calls anything online for what was backfilled', async () => {
    await heardAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(400)).to.equal(1);
    await tellBeats(ground.store, [beat(900, { deviceId: id, at: 350 }), beat(900, { deviceId: id, at: 590 })]);
    await one.until(900);
    expect(await device()).to.equal('+0 -300');
  });

  it('finds silence by time, once, and the end of it by the next heartbeat', async () => {
    await heardAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(330)).to.equal(0);
    expect(await one.sweepAt(331)).to.equal(1);
    expect(await one.sweepAt(400)).to.equal(0);
    expect(await known()).to.deep.equal(['device offline']);
    await heardAt(500);
    await one.until(510);
    expect(await device()).to.equal('+0 -300 +500');
    const [, silence, end] = await own();
    expect(silence!.metadata.causationId).to.equal(undefined);
    expect(end!.metadata.causationId).to.be.a('string');
  });

  it('calls nobody offline by what it has not read: after a lag, or a time without the log', async () => {
    await heardAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(10_000, 200)).to.equal(0);
    expect(await one.sweepAt(10_000, 9_939)).to.equal(0);
    await heardAt(9_900);
    expect(await one.sweepAt(10_000, 9_990)).to.equal(0);
    expect(await device()).to.equal('+0 -300 +9900');
    expect(await one.monitor.sweep(), 'while nobody follows').to.equal(0);
  });

  it('calls nobody offline by a clock that once ran ahead', async () => {
    await heardAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(70, 3_600)).to.equal(0);
    await probe(ground.store, 3_600);
    expect(await one.sweepAt(1_000, 100), 'while it lags').to.equal(0);
    expect(await device()).to.equal('+0');
    expect(await one.sweepAt(331)).to.equal(1);
  }).timeout(10_000);

  it('ends an outage where it begins, when a heartbeat came to light that was received before', async () => {
    await heardAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(400)).to.equal(1);
    await heardAt(290, 280);
    await one.until(410);
    expect(await device()).to.equal('+0 -300 +300!');
    expect(await one.sweepAt(700)).to.equal(1);
    await heardAt(650, 640);
    await one.until(710);
    expect(await device()).to.equal('+0 -300 +300! -590 +650');
  });

  it('lets stand what somebody else recorded, and goes on from there', async () => {
    const one = monitored(ground);
    const rival = async (offlineAt: number) => {
      const [ms, subject] = [time.startMs + offlineAt * 1_000, { kind: 'device', id } as const];
      const told = toLivenessEvent(subject, { status: 'offline', offlineAtMs: ms, lastReceivedMs: ms - 300_000 });
      const metadata = { schemaVersion: 1, receivedAt: at(offlineAt), network: 1 };
      await ground.store.append(livenessStream('device', id), [{ id: randomUUID(), ...told, metadata }]);
    };
    await heardAt(0);
    await one.until(10);
    await rival(300);
    await heardAt(290);
    await one.until(410);
    expect(await device()).to.equal('+0 -300 +300!');
    await rival(500);
    await one.until(510);
    expect(await device()).to.equal('+0 -300 +300! -500 +500!');
    await rival(590);
    await heardAt(1_000);
    await one.until(1_010);
    expect(await device()).to.equal('+0 -300 +300! -500 +500! -590 +1000');
  });

  it('records nothing twice when PostgreSQL forgot everything, whatever was found by whom', async () => {
    const one = monitored(ground);
    await heardAt(0);
    await one.sweepAt(400);
    await heardAt(290, 1_000, 5_000);
    await tellBeats(ground.store, [beat(0, { feederId: id }), beat(2_000, { feederId: id })]);
    await one.sweepAt(6_000);
    const before = await logged(ground.store);
    expect(await device()).to.equal('+0 -300 +300! -590 +1000 -1300 +5000 -5300');
    await forget(ground.postgres);
    const anew = monitored(ground);
    await anew.until(6_010);
    expect(await logged(ground.store)).to.deep.equal(before);
    expect(await known()).to.deep.equal(['device offline', 'feeder offline']);
    await heardAt(6_020);
    await anew.until(6_030);
    expect(await device()).to.equal('+0 -300 +300! -590 +1000 -1300 +5000 -5300 +6020');
  });
});
