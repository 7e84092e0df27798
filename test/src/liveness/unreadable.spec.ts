import { randomUUID } from 'node:crypto';
import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import { expect } from 'chai';
import { type TestStores, openTestStores } from '../message-bus/bus.fixture.ts';
import { at, heartbeat, changesOf, monitored, nextDay, appendHeartbeats, time } from './monitored.fixture.ts';

describe('the liveness monitor and unreadable events', () => {
  let ground: TestStores;
  before(async () => (ground = await openTestStores()));
  after(() => ground.close());
  let id = 0;
  beforeEach(async () => {
    id += 10;
    await nextDay(ground);
  });
  const device = (which = id) => changesOf(ground.store, { kind: 'device', id: which });

  it('skips an unreadable heartbeat', async () => {
    await appendHeartbeats(ground.store, [
      { ...heartbeat(0, { deviceId: id }), data: { deviceId: 'four' } },
      heartbeat(1, { deviceId: id }),
    ]);
    await monitored(ground).until(10);
    expect(await device()).to.equal('+1');
  });

  it('continues for all subjects after an unreadable event in the stream of one', async () => {
    await appendHeartbeats(ground.store, [heartbeat(0, { deviceId: id })]);
    const one = monitored(ground);
    await one.until(10);
    const change = { status: 'offline', offlineAtMs: time.startMs, lastReceivedMs: time.startMs } as const;
    const metadata = { schemaVersion: 99, receivedAt: at(20), network: 1 };
    const event = toLivenessEvent({ kind: 'device', id }, change);
    await ground.store.append(livenessStream('device', id), [{ id: randomUUID(), ...event, metadata }]);
    await appendHeartbeats(ground.store, [heartbeat(1_000, { deviceId: id }), heartbeat(1_000, { deviceId: id + 1 })]);
    await one.until(1_010);
    expect([await device(), await device(id + 1)]).to.deep.equal(['+0 -0 -300 +1000', '+1000']);
  });
});
