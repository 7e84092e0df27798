import { randomUUID } from 'node:crypto';
import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import { expect } from 'chai';
import { type Ground, openGround } from '../message-bus/buses.fixture.ts';
import { at, beat, changesOf, monitored, nextDay, tellBeats, time } from './monitored.fixture.ts';

describe('the monitor of liveness and what it cannot read', () => {
  let ground: Ground;
  before(async () => (ground = await openGround()));
  after(() => ground.close());
  let id = 0;
  beforeEach(async () => {
    id += 10;
    await nextDay(ground);
  });
  const device = (which = id) => changesOf(ground.store, { kind: 'device', id: which });

  it('passes over a heartbeat', async () => {
    await tellBeats(ground.store, [
      { ...beat(0, { deviceId: id }), data: { deviceId: 'four' } },
      beat(1, { deviceId: id }),
    ]);
    await monitored(ground).until(10);
    expect(await device()).to.equal('+1');
  });

  it('goes on for everybody when it stands in the stream of one', async () => {
    await tellBeats(ground.store, [beat(0, { deviceId: id })]);
    const one = monitored(ground);
    await one.until(10);
    const change = { status: 'offline', offlineAtMs: time.startMs, lastReceivedMs: time.startMs } as const;
    const metadata = { schemaVersion: 99, receivedAt: at(20), network: 1 };
    const told = toLivenessEvent({ kind: 'device', id }, change);
    await ground.store.append(livenessStream('device', id), [{ id: randomUUID(), ...told, metadata }]);
    await tellBeats(ground.store, [beat(1_000, { deviceId: id }), beat(1_000, { deviceId: id + 1 })]);
    await one.until(1_010);
    expect([await device(), await device(id + 1)]).to.deep.equal(['+0 -0 -300 +1000', '+1000']);
  });
});
