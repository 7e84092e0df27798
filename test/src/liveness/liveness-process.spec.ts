import { probeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { createMetrics } from '@popsvc/platform/telemetry';
import { runLivenessMonitor } from '@popsvc/projectors/projections/liveness';
import { createStatusRegistry } from '@popsvc/projectors/projections/relay';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { type TestStores, log, openTestStores, waitFor } from '../message-bus/bus.fixture.ts';
import { readLivenessEvents } from './monitored.fixture.ts';
import { listEvent } from '../support/list-events.ts';

describe('the liveness monitor in the running service', () => {
  let ground: TestStores;
  before(async () => (ground = await openTestStores()));
  after(() => ground.close());

  const start = () => {
    const end = new AbortController();
    const metrics = createMetrics('test');
    const statusRegistry = createStatusRegistry();
    const owner = randomUUID();
    const running = runLivenessMonitor(
      { ...ground, statusRegistry, metrics, log, owner, sweeps: '* * * * * *' },
      end.signal,
    );
    return {
      state: () => statusRegistry.statuses[0]!.state,
      counted: async () =>
        (await metrics.metrics()).split('\n').filter((line) => line.includes('liveness_changes_total{')),
      async stop() {
        end.abort();
        await running;
      },
    };
  };
  const append = async (stream: string, event: { type: string; data: unknown }, receivedAt: string) => {
    const metadata = { schemaVersion: 1, receivedAt, network: 1, vendor: 'acme' };
    await ground.store.append(stream, [{ id: randomUUID(), ...event, metadata }]);
  };
  const beat = (deviceId: number, secondsAgo: number) => {
    const at = instantOf(Date.now() - secondsAgo * 1_000);
    return append('heartbeat-1.acme.20260820', listEvent('HeartbeatsRecorded', { deviceId, at }), at);
  };
  const probe = () => {
    const emittedAt = instantOf(Date.now());
    return append(probeStream('test'), { type: 'ProbeEmitted', data: { service: 'test', emittedAt } }, emittedAt);
  };
  const types = async () =>
    (await readLivenessEvents(ground.store)).map(({ type, stream }) => `${stream.slice('liveness-'.length)} ${type}`);

  it('sweeps, reports its status, and is continued by another process', async () => {
    await beat(4, 400);
    await beat(5, 10);
    await probe();
    const one = start();
    await waitFor('the silence is recorded', async () => (await types()).includes('device.4 DeviceWentOffline'));
    await probe();
    await waitFor('its status is running', () => one.state() === 'running');
    const counts = [
      'popsvc_liveness_changes_total{status="online",service="test"} 2',
      'popsvc_liveness_changes_total{status="offline",service="test"} 1',
    ];
    await waitFor('it counts', async () => (await one.counted()).join() === counts.join());
    const other = start();
    await waitFor('the other one waits', () => other.state() === 'waiting');
    await one.stop();
    await beat(4, 0);
    await beat(6, 500);
    await probe();
    await waitFor('the other one goes on', async () => {
      const found = await types();
      return found.includes('device.6 DeviceWentOffline') && found.length >= 6;
    });
    await other.stop();
    expect((await types()).sort()).to.deep.equal([
      'device.4 DeviceWentOffline',
      'device.4 DeviceWentOnline',
      'device.4 DeviceWentOnline',
      'device.5 DeviceWentOnline',
      'device.6 DeviceWentOffline',
      'device.6 DeviceWentOnline',
    ]);
  });
});
