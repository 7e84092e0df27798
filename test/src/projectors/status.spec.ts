import { livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { toLivenessEvent } from '@popsvc/domain/status';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { rebuildGeneration, readTables } from './rebuild.fixture.ts';

/** Today, so that heartbeats appended during the test are in time. */
const startMs = Date.now() - 3_600_000;
const at = (seconds: number) => instantOf(startMs + seconds * 1_000);

describe('status', () => {
  let service: TestSystem;
  before(async () => {
    service = await startTestSystem({ of: ['status'] });
  });
  after(() => service.close());

  const lastReceived = async () =>
    (
      await service.writer.rows<{ who: string; at: string }>(
        `SELECT concat(toString(network_id), ' ', kind, ' ', toString(id)) AS who,
           toString(toUnixTimestamp64Milli(last_received_at)) AS at FROM device_liveness_live ORDER BY who`,
      )
    ).map(({ who, at: ms }) => [who, instantOf(Number(ms))]);

  it('stores the latest counted receipt of each device and feeder in any order of events', async () => {
    await service.heartbeat({ deviceId: 4, at: at(0) }, { receivedAt: at(1) });
    await service.heartbeat({ deviceId: 4, appCode: 'player', state: 'stopped', at: at(55) }, { receivedAt: at(60) });
    await service.projectOne('status');
    await service.heartbeat({ deviceId: 4, at: at(30) }, { receivedAt: at(30) });
    await service.heartbeat({ feederId: 4, at: at(340) }, { receivedAt: at(40) });
    await service.heartbeat({ deviceId: 5, at: at(0) }, { receivedAt: at(301) });
    await service.heartbeat({ deviceId: 6, at: at(700) }, { receivedAt: at(399) });
    await service.heartbeat({ deviceId: 7, at: at(500) }, { receivedAt: at(500), network: 2, vendor: 'other' });
    await service.projectOne('status');
    expect(await lastReceived()).to.deep.equal([
      ['1 device 4', at(60)],
      ['1 feeder 4', at(40)],
      ['2 device 7', at(500)],
    ]);
  });

  it('builds the same tables again with other batches', async () => {
    await service.append(livenessStream('device', 4), ...recorded);
    await service.projectOne('status');
    await rebuildGeneration(service, 2, { rows: 1, bytes: 1, ageMs: 1 }, 'status');
    expect(await readTables(service, 2, 'status')).to.deep.equal(await readTables(service, 1, 'status'));
  });
});

const { type, data } = toLivenessEvent(
  { kind: 'device', id: 4 },
  { status: 'offline', offlineAtMs: startMs, lastReceivedMs: startMs - 300_000 },
);
const recorded = [type, data] as const;
