import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import { createMetrics } from '@popsvc/platform/telemetry';
import { createStatusRegistry } from '@popsvc/projectors/engine';
import { runLivenessMonitor } from '@popsvc/projectors/projections/liveness';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { type TestStores, log, openTestStores } from '../message-bus/bus.fixture.ts';
import {
  at,
  heartbeat,
  changesOf,
  clearStoredStates,
  readLivenessEvents,
  monitored,
  nextDay,
  probe,
  appendHeartbeats,
  time,
} from './monitored.fixture.ts';

describe('the liveness monitor', () => {
  let ground: TestStores;
  before(async () => (ground = await openTestStores()));
  after(() => ground.close());
  /** All tests share a log, so each uses its own ids; those of earlier tests stay offline. */
  let id = 0;
  beforeEach(async () => {
    id += 10;
    await nextDay(ground);
  });

  const device = (which = id) => changesOf(ground.store, { kind: 'device', id: which });
  const feeder = (which = id) => changesOf(ground.store, { kind: 'feeder', id: which });
  const receiveAt = (...seconds: number[]) =>
    appendHeartbeats(
      ground.store,
      seconds.map((each) => heartbeat(each, { deviceId: id })),
    );
  const own = async () =>
    (await readLivenessEvents(ground.store)).filter(({ stream }) =>
      [`liveness-device.${id}`, `liveness-feeder.${id}`].includes(stream),
    );
  const known = async () =>
    (
      await ground.postgres.query<{ state: string }>(
        `SELECT kind || ' ' || status AS state FROM liveness WHERE id = ${id} ORDER BY 1`,
      )
    ).rows.map(({ state }) => state);

  it('records the first receipt, the silence and the next receipt of a device, each once', async () => {
    const first = heartbeat(0, { deviceId: id });
    await appendHeartbeats(ground.store, [first, heartbeat(60, { deviceId: id, appCode: 'player', state: 'stopped' })]);
    await receiveAt(360, 1_000, 1_060);
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

  it('counts a feeder on its own, and only heartbeats received within 300 s of their `at`', async () => {
    await appendHeartbeats(ground.store, [
      heartbeat(0, { feederId: id }),
      heartbeat(10, { feederId: id + 1, at: 310 }),
      heartbeat(20, { feederId: id + 2, at: 321 }),
      heartbeat(301, { deviceId: id + 3, at: 0 }),
    ]);
    await monitored(ground).until(400);
    expect([await feeder(), await feeder(id + 1), await feeder(id + 2)]).to.deep.equal(['+0', '+10', '']);
    expect([await device(), await device(id + 3)]).to.deep.equal(['', '']);
  });

  it('records no device as online for a backfilled heartbeat', async () => {
    await receiveAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(400)).to.equal(1);
    await appendHeartbeats(ground.store, [
      heartbeat(900, { deviceId: id, at: 350 }),
      heartbeat(900, { deviceId: id, at: 590 }),
    ]);
    await one.until(900);
    expect(await device()).to.equal('+0 -300');
  });

  it('finds silence by time, once, and the end of it by the next heartbeat', async () => {
    await receiveAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(330)).to.equal(0);
    expect(await one.sweepAt(331)).to.equal(1);
    expect(await one.sweepAt(400)).to.equal(0);
    expect(await known()).to.deep.equal(['device offline']);
    await receiveAt(500);
    await one.until(510);
    expect(await device()).to.equal('+0 -300 +500');
    const [, silence, end] = await own();
    expect(silence!.metadata.causationId).to.equal(undefined);
    expect(end!.metadata.causationId).to.be.a('string');
  });

  it('records no device as offline while it lags behind the log', async () => {
    await receiveAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(10_000, 200)).to.equal(0);
    expect(await one.sweepAt(10_000, 9_939)).to.equal(0);
    await receiveAt(9_900);
    expect(await one.sweepAt(10_000, 9_990)).to.equal(0);
    expect(await device()).to.equal('+0 -300 +9900');
    expect(await one.monitor.sweep(), 'while the monitor does not follow').to.equal(0);
  });

  it('records no device as offline because of a clock that ran ahead once', async () => {
    await receiveAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(70, 3_600)).to.equal(0);
    await probe(ground.store, 3_600);
    expect(await one.sweepAt(1_000, 100), 'while it lags').to.equal(0);
    expect(await device()).to.equal('+0');
    expect(await one.sweepAt(331)).to.equal(1);
  });

  it('ends an outage at its beginning when an earlier receipt appears in the log', async () => {
    await receiveAt(0);
    const one = monitored(ground);
    expect(await one.sweepAt(400)).to.equal(1);
    await receiveAt(290, 280);
    await one.until(410);
    expect(await device()).to.equal('+0 -300 +300!');
    expect(await one.sweepAt(700)).to.equal(1);
    await receiveAt(650, 640);
    await one.until(710);
    expect(await device()).to.equal('+0 -300 +300! -590 +650');
  });

  it('accepts a change that another process recorded and continues from it', async () => {
    const one = monitored(ground);
    const rival = async (offlineAt: number) => {
      const [ms, subject] = [time.startMs + offlineAt * 1_000, { kind: 'device', id } as const];
      const event = toLivenessEvent(subject, { status: 'offline', offlineAtMs: ms, lastReceivedMs: ms - 300_000 });
      const metadata = { schemaVersion: 1, receivedAt: at(offlineAt), network: 1 };
      await ground.store.append(livenessStream('device', id), [{ id: randomUUID(), ...event, metadata }]);
    };
    await receiveAt(0);
    await one.until(10);
    await rival(300);
    await receiveAt(290);
    await one.until(410);
    expect(await device()).to.equal('+0 -300 +300!');
    await rival(500);
    await one.until(510);
    expect(await device()).to.equal('+0 -300 +300! -500 +500!');
    await rival(590);
    await receiveAt(1_000);
    await one.until(1_010);
    expect(await device()).to.equal('+0 -300 +300! -500 +500! -590 +1000');
  });

  it('records nothing twice after PostgreSQL lost the states', async () => {
    const one = monitored(ground);
    await receiveAt(0);
    await one.sweepAt(400);
    await receiveAt(290, 1_000, 5_000);
    await appendHeartbeats(ground.store, [heartbeat(0, { feederId: id }), heartbeat(2_000, { feederId: id })]);
    await one.sweepAt(6_000);
    const before = await readLivenessEvents(ground.store);
    expect(await device()).to.equal('+0 -300 +300! -590 +1000 -1300 +5000 -5300');
    await clearStoredStates(ground.postgres);
    const restarted = monitored(ground);
    await restarted.until(6_010);
    expect(await readLivenessEvents(ground.store)).to.deep.equal(before);
    expect(await known()).to.deep.equal(['device offline', 'feeder offline']);
    await receiveAt(6_020);
    await restarted.until(6_030);
    expect(await device()).to.equal('+0 -300 +300! -590 +1000 -1300 +5000 -5300 +6020');
  });

  it('sweeps by its schedule, reports its status and counts the changes', async () => {
    const end = new AbortController();
    const [metrics, statusRegistry] = [createMetrics('test'), createStatusRegistry()];
    time.startMs = Date.now() - 400_000;
    await receiveAt(0);
    const process = { ...ground, log, statusRegistry, metrics, owner: 'process', sweeps: '* * * * * *' };
    const running = runLivenessMonitor(process, end.signal);
    await probe(ground.store, 400);
    await waitUntil(device, (changes) => changes === '+0 -300');
    await probe(ground.store, 401);
    await waitUntil(
      () => Promise.resolve(statusRegistry.statuses.map(({ name, state }) => `${name} ${state}`).join()),
      (state) => state === 'liveness running',
    );
    const counted = async () =>
      (await metrics.metrics())
        .split('\n')
        .filter((line) => line.startsWith('popsvc_liveness_changes_total{'))
        .join();
    const changes = (status: string) => `popsvc_liveness_changes_total{status="${status}",service="test"} 1`;
    await waitUntil(counted, (found) => found === `${changes('online')},${changes('offline')}`);
    end.abort();
    await running;
  });
});
