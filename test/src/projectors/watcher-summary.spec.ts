import { watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();
const watch = (from: number, to: number) => ({ startedAt: at(from), endedAt: at(to) });

describe('watcher-summary', () => {
  let service: TestSystem;
  beforeEach(async () => {
    service = await startTestSystem({ of: ['registry', 'watcher-summary'] });
    await service.register(smallRegistry);
  });
  afterEach(() => service.close());

  const rows = async () => {
    await service.project();
    return service.rows(watcherSummaryDataset);
  };

  it('fills every column of a detection without any play', async () => {
    await service.detection({
      detectionId: 'd-1',
      watcherId: 42,
      feederId: 5,
      startedAt: at(0),
      endedAt: at(10),
      gender: 'female',
      age: '70',
      mood: 'Very happy',
      watches: [watch(1, 2), watch(2.3, 3), watch(5, 6)],
    });
    expect(await rows()).to.deep.equal([
      {
        WATCHERID: 42,
        GENDER: 'female',
        AGE_CATEGORY: 'senior',
        MOOD: 'very_happy',
        SITE_TIMESTAMP_SITE_TZ: '2026-08-20T15:00:00.000+01:00',
        SITE_TZ: 'Europe/London',
        HOUR_SITE_TZ: '15',
        DAY_SITE_TZ: 'Thursday',
        IS_WATCHER: 1,
        DURATION: 10,
        ATTENTION: 30,
        SITE_ID: 2,
        SITE_NAME: 'Quayside',
        LOCATION_ID: 3,
        LOCATION_NAME: 'Ground floor',
        DEVICE_ID: 4,
        DEVICE_NAME: 'Entrance',
        CAM_ID: 6,
        CAMERA_NAME: 'Entrance camera',
      },
    ]);
  });

  it("names the camera of the detection, else the feeder's only camera, else none", async () => {
    await service.register({ cameras: [{ id: 61, name: 'Spare camera', device: 4 }] });
    await service.detection({ detectionId: 'with camera', watcherId: 1, feederId: 5, cameraId: 61 });
    await service.detection({ detectionId: 'derived', watcherId: 2, feederId: 5, startedAt: at(1) });
    await service.detection({ detectionId: 'none', watcherId: 3, startedAt: at(2) });
    const cameras = async () => (await rows()).map((row) => [row['WATCHERID'], row['CAM_ID'], row['CAMERA_NAME']]);
    expect(await cameras()).to.deep.equal([
      [1, 61, 'Spare camera'],
      [2, 6, 'Entrance camera'],
      [3, null, null],
    ]);
    await service.register({ cameras: [{ id: 62, name: 'Second camera', device: 4, feeder: 5 }] });
    expect((await cameras())[1], 'with two cameras there is no single one').to.deep.equal([2, null, null]);
  });

  it('has one row for each detection, from its highest revision, at the start of that revision', async () => {
    await service.detection({ detectionId: 'd', revision: 2, startedAt: at(60), endedAt: at(65) });
    await rows();
    await service.detection({ detectionId: 'd', revision: 1, startedAt: at(0), endedAt: at(1) });
    expect((await rows()).map((row) => row['DURATION'])).to.deep.equal([5]);
    await service.detection({ detectionId: 'd', revision: 2, startedAt: at(-3_600), endedAt: at(-3_593) });
    expect((await rows()).map((row) => [row['DURATION'], row['HOUR_SITE_TZ']])).to.deep.equal([[7, '14']]);
  });

  it('counts a detection without watch intervals as no watcher with attention 0', async () => {
    await service.detection({ detectionId: 'brief', startedAt: at(0), endedAt: at(0) });
    const [row] = await rows();
    expect([row!['IS_WATCHER'], row!['ATTENTION'], row!['DURATION'], row!['GENDER']]).to.deep.equal([
      0,
      0,
      0,
      'unknown',
    ]);
  });

  it('follows a backdated move of the device for detections after the move', async () => {
    await service.detection({ detectionId: 'before', startedAt: at(0) });
    await service.detection({ detectionId: 'after', startedAt: at(20), endedAt: at(25) });
    await rows();
    await service.register({
      sites: [{ id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' }],
      locations: [{ id: 30, name: 'Platform', site: 20 }],
      devices: [{ id: 4, name: 'Entrance', location: 30, screen_ids: ['screen-1'], effective_from: at(10) }],
    });
    expect((await rows()).map((row) => [row['SITE_NAME'], row['SITE_TIMESTAMP_SITE_TZ']])).to.deep.equal([
      ['Quayside', '2026-08-20T15:00:00.000+01:00'],
      ['Tokyo', '2026-08-20T23:00:20.000+09:00'],
    ]);
  });
});
