import { randomUUID } from 'node:crypto';
import { bulkJobStream, livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { openTestStores, type TestStores } from '../message-bus/bus.fixture.ts';
import { followedMonitor, readNotices } from './notices.fixture.ts';

describe('notices of events', () => {
  let stores: TestStores;
  let seen = 0;
  before(async () => {
    stores = await openTestStores();
    await endJob('BulkIngestCompleted', 1, 'before');
    await followedMonitor(stores).follow();
  });
  after(() => stores.close());
  /** Each test sees only its own notices. */
  const newNotices = async () => {
    const all = await readNotices(stores.store);
    const found = all.slice(seen);
    seen = all.length;
    return found;
  };
  beforeEach(newNotices);

  const append = (stream: string, type: string, data: unknown, network: number, vendor?: string) =>
    stores.store.append(stream, [
      {
        id: randomUUID(),
        type,
        data,
        metadata: { schemaVersion: 1, receivedAt: instantOf(Date.now()), network, ...(vendor && { vendor }) },
      },
    ]);
  const endJob = (type: string, network = 1, vendor = 'acme', more: object = {}) => {
    const jobId = randomUUID();
    const data = { jobId, attempt: 1, totalRows: 3, processedRows: 2, errorRows: 1, ...more };
    return append(bulkJobStream(jobId), type, data, network, vendor);
  };
  const goOffline = (id: number, minute: number, network = 1) => {
    const data = {
      deviceId: id,
      offlineAt: `2026-08-20T14:${minute}:00.000Z`,
      lastReceivedAt: `2026-08-20T14:${minute - 5}:00.000Z`,
    };
    return append(livenessStream('device', id), 'DeviceWentOffline', data, network);
  };

  it('begin with the first start, not with the history of the log', async () => {
    expect(await readNotices(stores.store)).to.deep.equal([]);
  });

  it('report each ended bulk job, with its network and vendor', async () => {
    await endJob('BulkIngestCompleted');
    await endJob('BulkIngestPartiallyCompleted', 2, 'other');
    await endJob('BulkIngestFailed', 1, 'acme', { totalRows: null, reason: 'The file is empty.' });
    await followedMonitor(stores).follow();
    const notices = await newNotices();
    expect(notices.map(({ stream, vendor }) => [stream, vendor]).sort()).to.deep.equal([
      ['notice-1.job.finished', 'acme'],
      ['notice-1.job.finished', 'acme'],
      ['notice-2.job.finished', 'other'],
    ]);
    const jobs = notices.map(({ notice }) => (notice.type === 'job.finished' ? notice.data : undefined)!);
    expect(jobs.map(({ status }) => status).sort()).to.deep.equal(['completed', 'failed', 'partially_completed']);
    expect(jobs.find(({ status }) => status === 'failed')!.total_rows).to.equal(null);
    expect(jobs[0]).to.include({ network_id: 1, vendor: 'acme', processed_rows: 2, error_rows: 1 });
  });

  it('report the beginning and the end of an outage, and not the first heartbeat ever', async () => {
    const online = { feederId: 21, onlineAt: '2026-08-20T14:12:00.000Z' };
    await append(livenessStream('feeder', 21), 'FeederWentOnline', { ...online, offlineSince: null }, 1);
    await goOffline(11, 18);
    const since = { ...online, offlineSince: '2026-08-20T14:08:00.000Z' };
    await append(livenessStream('feeder', 21), 'FeederWentOnline', since, 1);
    await followedMonitor(stores).follow();
    const notices = await newNotices();
    expect(notices.map(({ stream, notice }) => [stream, notice])).to.deep.equal([
      [
        'notice-1.outage.opened',
        {
          type: 'outage.opened',
          timestamp: '2026-08-20T14:18:00.000Z',
          data: {
            network_id: 1,
            kind: 'device',
            id: 11,
            offline_at: '2026-08-20T14:18:00.000Z',
            last_received_at: '2026-08-20T14:13:00.000Z',
          },
        },
      ],
      [
        'notice-1.outage.closed',
        {
          type: 'outage.closed',
          timestamp: '2026-08-20T14:12:00.000Z',
          data: {
            network_id: 1,
            kind: 'feeder',
            id: 21,
            offline_at: '2026-08-20T14:08:00.000Z',
            online_at: '2026-08-20T14:12:00.000Z',
          },
        },
      ],
    ]);
  });

  const crash = async (fault: EventStore['append']) => {
    const store = { ...stores.store, append: fault };
    const stopped = followedMonitor({ store, postgres: stores.postgres }).follow();
    expect(await stopped.then(() => 'followed', String)).to.include('crashed');
  };
  const isNotice = (stream: string) => stream.startsWith('notice-');

  it('are appended after a restart if the process stopped before the append', async () => {
    await goOffline(12, 20);
    await crash((stream, events, options) =>
      isNotice(stream) ? Promise.reject(new Error('crashed')) : stores.store.append(stream, events, options),
    );
    expect(await newNotices()).to.deep.equal([]);
    await followedMonitor(stores).follow();
    expect((await newNotices()).length).to.equal(1);
  });

  it('are appended once if the process stopped after the append', async () => {
    await goOffline(13, 21);
    await goOffline(14, 22);
    let appends = 0;
    await crash(async (stream, events, options) => {
      const result = await stores.store.append(stream, events, options);
      if (isNotice(stream) && ++appends === 1) throw new EventStoreUnavailable('crashed');
      return result;
    });
    await followedMonitor(stores).follow();
    await goOffline(15, 23);
    await followedMonitor(stores).follow();
    const devices = (await newNotices()).map(({ notice }) => 'id' in notice.data && notice.data.id);
    expect(devices).to.deep.equal([13, 14, 15]);
  });

  it('are appended once if another process appended some in the meantime', async () => {
    await goOffline(16, 24);
    let hasLoaded = false;
    const store: EventStore = {
      ...stores.store,
      async append(stream, events, options) {
        if (isNotice(stream) && !hasLoaded) {
          hasLoaded = true;
          // What a process does that has lost the lease, but does not know it yet.
          await stores.store.append(stream, events, options);
          return stores.store.append(stream, [{ ...events[0]!, id: randomUUID() }], options);
        }
        return stores.store.append(stream, events, options);
      },
    };
    await followedMonitor({ store, postgres: stores.postgres }).follow();
    expect((await newNotices()).length).to.equal(1);
  });

  it('of an event that cannot be read are left out', async () => {
    await append(livenessStream('device', 17), 'DeviceWentOffline', { deviceId: 'x' }, 1);
    await goOffline(18, 25);
    await followedMonitor(stores).follow();
    expect((await newNotices()).length).to.equal(1);
  });
});
