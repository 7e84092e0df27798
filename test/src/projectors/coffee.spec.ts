import { coffeeDataset } from '@popsvc/contracts/datasets';
import { expect } from 'chai';
import { projecting, type Projecting } from '../support/projecting.ts';
import { smallRegistry } from '../support/small-registry.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();
const watch = (from: number, to: number) => ({ startedAt: at(from), endedAt: at(to) });

const worked = [
  ['A', 4, 1.2, 30, [1, 1, 1, 0, 0]],
  ['B', 10, 9, 90, [1, 1, 1, 1, 1]],
  ['C', 10, 0.3, 3, [1, 1, 0, 0, 0]],
  ['D', 1.4, 0, 0, [1, 0, 0, 0, 0]],
];

describe('coffee', () => {
  let house: Projecting;
  beforeEach(async () => {
    house = await projecting();
    await house.register(smallRegistry);
  });
  afterEach(() => house.close());

  const spots = async () => {
    for (const [index, eventId] of ['A', 'B', 'C', 'D'].entries())
      await house.play({ eventId, playedAt: at(index * 10), durationMs: 10_000 });
  };
  const person = (more: object = {}) =>
    house.detection({
      detectionId: 'person',
      startedAt: at(6),
      endedAt: at(31.4),
      watches: [watch(8, 9.2), watch(10, 19), watch(25, 25.3)],
      ...more,
    });
  const rows = () => house.rows(coffeeDataset);
  const figures = async () =>
    (await rows()).map((row) => [
      row['EVENT_ID'],
      row['DURATION_IMPRESSION'],
      row['WATCH_TIME'],
      row['ATTENTION'],
      [row['IS_IMPRESSION'], row['IS_WATCHED'], row['IS_GLANCE'], row['IS_VIEW'], row['IS_VIEW_THROUGH']],
    ]);
  const tell = async (...steps: (() => Promise<unknown>)[]) => {
    for (const step of steps) {
      await step();
      await house.project();
    }
  };

  it('measures the worked example when the plays come first', async () => {
    await tell(spots);
    expect((await rows()).map((row) => [row['EVENT_ID'], row['POP_TYPE'], row['WATCHERID']])).to.deep.equal(
      ['A', 'B', 'C', 'D'].map((event) => [event, 'UNMEASURED', null]),
    );
    await tell(person);
    expect(await figures()).to.deep.equal(worked);
  });

  it('measures it when the person comes first', async () => {
    await tell(person, spots);
    expect(await figures()).to.deep.equal(worked);
  });

  it('fills every column', async () => {
    const playPosition = await house.play({
      eventId: 'B',
      playedAt: at(10),
      durationMs: 10_000,
      startReason: 'Trigger-based',
    });
    const seenPosition = await person({
      feederId: 5,
      cameraId: 6,
      watcherId: 42,
      reid: 'r-1',
      gender: 'F',
      age: '41',
      mood: 'happy',
      distance: [1.5, 2],
    });
    await house.project();
    const [row] = await rows();
    expect(Object.keys(row!)).to.deep.equal(coffeeDataset.columns.map(({ name }) => name));
    const { DETAILID: number, SILVER_STAGE_TIMESTAMP: silver, STREAM_STAGE_TIMESTAMP: streamed, ...rest } = row!;
    expect(number).to.be.a('number').within(0, Number.MAX_SAFE_INTEGER);
    expect(Date.parse(String(silver))).to.be.closeTo(Date.now(), 60_000);
    expect(Date.parse(String(streamed))).to.be.closeTo(Date.now(), 60_000);
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
      DELTA_ID: [String(playPosition), String(seenPosition)],
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
      SF_DELTA_ID: String(seenPosition),
    });
  });

  it('lets a detection that is told again somewhere else give its old rows back', async () => {
    await tell(spots, person, () => person({ revision: 1, startedAt: at(31), endedAt: at(39), watches: [] }));
    expect((await figures()).map(([event, presence]) => [event, presence])).to.deep.equal([
      ['A', 0],
      ['B', 0],
      ['C', 0],
      ['D', 8],
    ]);
    await tell(() => person());
    expect(
      (await figures()).map(([event, presence]) => [event, presence]),
      'a lower revision told later',
    ).to.deep.equal([
      ['A', 0],
      ['B', 0],
      ['C', 0],
      ['D', 8],
    ]);
  });

  it('keeps the first of two plays with one id, whatever instant the second names', async () => {
    const early = { eventId: 'P', playedAt: '2026-07-31T23:59:50.000Z' };
    const late = { eventId: 'P', playedAt: '2026-08-01T00:00:10.000Z', durationMs: 5_000 };
    await tell(
      () => house.play(early),
      () => house.play(late),
    );
    expect((await rows()).map((row) => row['PLAYOUT'])).to.deep.equal([10]);
    const receipts = await house.writer.rows<{ n: number }>('SELECT uniqExact(content_hash) AS n FROM plays_live');
    expect(receipts[0]!.n).to.equal(2);
  });

  it('counts the same play once, however often and in whichever company it is sent', async () => {
    const play = () => house.play({ eventId: 'P' });
    await tell(play, play);
    await play();
    await house.play({ eventId: 'Q', playedAt: at(30) });
    await tell(play);
    expect((await rows()).map((row) => row['EVENT_ID'])).to.deep.equal(['P', 'Q']);
  });

  it('shows a play of an unknown screen in the network zone, and as if always known once the registry learns it', async () => {
    await tell(() => house.play({ eventId: 'P', screenId: 'new-screen', campaignId: 'C-200', creativeId: 'CR-9' }));
    const place = async () => {
      const [row] = await rows();
      return [
        row!['SITE_ID'],
        row!['DEVICE_NAME'],
        row!['SITE_TZ'],
        row!['IS_BUSINESSHOUR'],
        row!['CAMPAIGN_ID'],
        row!['TITLE'],
      ];
    };
    expect(await place()).to.deep.equal([null, null, 'Europe/London', null, null, null]);
    await tell(() =>
      house.register({
        sites: [
          { id: 22, name: 'Oslo', network: 1, timezone: 'Europe/Oslo', business_hours: { fri: ['07:00-22:00'] } },
        ],
        locations: [{ id: 33, name: 'Hall', site: 22 }],
        devices: [{ id: 44, name: 'Hall screen', location: 33, screen_ids: ['new-screen'] }],
        campaigns: [{ id: 77, network: 1, external_id: 'C-200', name: 'Other' }],
        creatives: [{ external_id: 'CR-9', title: 'nine', campaign: 77 }],
      }),
    );
    expect(await place()).to.deep.equal([22, 'Hall screen', 'Europe/Oslo', false, 77, 'nine']);
  });

  it('uses the place and the thresholds of the start of the play, and recomputes what a backdated change touches', async () => {
    await tell(spots, person);
    await tell(() =>
      house.register({
        locations: [{ id: 34, name: 'Upstairs', site: 2 }],
        devices: [{ id: 4, name: 'Entrance', location: 34, screen_ids: ['screen-1'], effective_from: at(15) }],
        metric_definitions: [{ network: 1, version: 2, effective_from: at(25), thresholds: { impression_ms: 1_500 } }],
      }),
    );
    expect((await rows()).map((row) => [row['EVENT_ID'], row['LOCATION_NAME'], row['IS_IMPRESSION']])).to.deep.equal([
      ['A', 'Ground floor', 1],
      ['B', 'Ground floor', 1],
      ['C', 'Upstairs', 1],
      ['D', 'Upstairs', 0],
    ]);
  });

  it('shows names as they are now, without a recomputation', async () => {
    await tell(spots);
    await tell(() =>
      house.register({
        sites: [{ ...smallRegistry.sites[0], name: 'Quayside Centre' }],
        campaigns: [{ ...smallRegistry.campaigns[0], name: 'Winter coats' }],
      }),
    );
    const [row] = await rows();
    expect([row!['SITE_NAME'], row!['CAMPAIGN_NAME']]).to.deep.equal(['Quayside Centre', 'Winter coats']);
  });

  it('tells the two hours of the autumn night apart', async () => {
    await house.play({ eventId: 'first', playedAt: '2026-10-25T00:30:00.000Z' });
    await house.play({ eventId: 'second', playedAt: '2026-10-25T01:30:00.000Z' });
    await house.project();
    expect((await rows()).map((row) => [row['DT_START_SITE_TZ'], row['HOUR_SITE_TZ']])).to.deep.equal([
      ['2026-10-25T01:30:00.000+01:00', '01'],
      ['2026-10-25T01:30:00.000+00:00', '01'],
    ]);
  });
});
