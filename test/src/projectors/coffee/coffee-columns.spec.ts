import { sequenceOf } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

describe('coffee: columns', () => {
  const coffee = coffeeSystem();

  it('fills every column of a play with audience', async () => {
    const startedMs = Date.now();
    const playPosition = await coffee.system.play({
      eventId: 'B',
      playedAt: at(10),
      durationMs: 10_000,
      startReason: 'Trigger-based',
    });
    const seenPosition = await coffee.person({
      feederId: 5,
      cameraId: 6,
      watcherId: 42,
      reid: 'r-1',
      gender: 'F',
      age: '41',
      mood: 'happy',
      distance: [1.5, 2],
    });
    await coffee.system.project();
    const [row] = await coffee.rows();
    expect(Object.keys(row!)).to.deep.equal(coffeeDataset.columns.map(({ name }) => name));
    const { DETAILID: number, SILVER_STAGE_TIMESTAMP: silver, STREAM_STAGE_TIMESTAMP: streamed, ...rest } = row!;
    expect(number).to.be.a('number').within(0, Number.MAX_SAFE_INTEGER);
    // The engines share the clock of the machine, which ClickHouse may read with another resolution.
    for (const time of [silver, streamed])
      expect(Date.parse(String(time))).to.be.within(startedMs - 100, Date.now() + 100);
    expect(rest).to.deep.equal({
      POP_TYPE: 'VIEWER',
      PLAY_REASON: 'triggered',
      CAMPAIGN_ID: 7,
      CAMPAIGN_NAME: 'Autumn coats',
      TARGET_STRATEGY_ID: 8,
      STRATEGY_NAME: 'Commuters',
      MEDIA_PLAYER_NAME: 'Acme player',
      EVENT_ID: 'B',
      TITLE: 'autumn coats 10s',
      DISPLAY_TITLE: 'autumn coats 10s',
      PLAYOUT: 10,
      DT_START_SITE_TZ: '2026-08-20T15:00:10.000+01:00',
      DT_END_SITE_TZ: '2026-08-20T15:00:20.000+01:00',
      WATCHERID: 42,
      DELTA_ID: [String(sequenceOf(playPosition)), String(sequenceOf(seenPosition))],
      SITE_TIMESTAMP_SITE_TZ: '2026-08-20T15:00:10.000+01:00',
      WATCH_TIMESTAMP_SITE_TZ_DETAILS: ['2026-08-20T15:00:10.000+01:00'],
      WATCH_TIMESTAMP_END_SITE_TZ_DETAILS: ['2026-08-20T15:00:19.000+01:00'],
      DETECTION_TIMESTAMP_SITE_TZ: '2026-08-20T15:00:06.000+01:00',
      DETECTION_TIMESTAMP_END_SITE_TZ: '2026-08-20T15:00:31.400+01:00',
      REID: 'r-1',
      START_TIME: ['2026-08-20T15:00:10.000+01:00'],
      GENDER: 'female',
      AGE: '41',
      AGE_CATEGORY: 'adult',
      GENDER_AGE_CATEGORY: 'female_adult',
      MOOD: 'happy',
      DISTANCE: [1.5, 2],
      ATTENTION: 90,
      DURATION: 25.4,
      WATCH_TIME: 9,
      IS_IMPRESSION: 1,
      DURATION_IMPRESSION: 10,
      IS_GLANCE: 1,
      DURATION_GLANCE: 9,
      IS_VIEW: 1,
      DURATION_VIEW: 9,
      IS_VIEW_THROUGH: 1,
      DURATION_VIEW_THROUGH: 9,
      IS_WATCHED: 1,
      NETWORK_ID: 1,
      NETWORK_NAME: 'Harbour Media',
      SITE_ID: 2,
      SITE_NAME: 'Quayside',
      LOCATION_ID: 3,
      LOCATION_NAME: 'Ground floor',
      DEVICE_ID: 4,
      DEVICE_NAME: 'Entrance',
      FEEDER_ID: 5,
      FEEDER_NAME: 'Entrance feed',
      SUBSCRIPTION_NAME: 'Gold',
      SITE_TZ: 'Europe/London',
      DEVICE_TZ: 'Europe/London',
      TIME_RANGE_SITE_TZ: '15:00-16:00',
      MONTH: '2026-08',
      DT_ONLY_SITE_TZ: '2026-08-20',
      HOUR_SITE_TZ: '15',
      DAY_SITE_TZ: 'Thursday',
      IS_BUSINESSHOUR: true,
      SF_DELTA_ID: String(sequenceOf(seenPosition)),
    });
  });
});
