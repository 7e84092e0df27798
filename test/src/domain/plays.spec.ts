import { Detection, PopEvent } from '@popsvc/contracts/commands';
import { DetectionRecorded, PopRecorded } from '@popsvc/contracts/events';
import { canonicalDetection, canonicalPlay, contentOf, playFlags, refusePlayedAt } from '@popsvc/domain/plays';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const play = (more: Partial<PopEvent> = {}): PopEvent =>
  PopEvent.parse({
    eventId: 'play-1',
    screenId: 'screen-1',
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: '2026-08-20T16:03:07.25+02:00',
    durationMs: 10_000,
    ...more,
  });

const dayMs = 86_400_000;
const received = Date.parse('2026-08-20T12:00:00.000Z');

describe('a canonical play', () => {
  it('tells its instant in UTC with milliseconds and keeps the rest as sent', () => {
    const sent = play({ siteId: 's', startReason: 'Trigger', context: { b: [1, { a: 2 }] }, device: { os: 'x' } });
    expect(canonicalPlay(sent)).to.deep.equal({ ...sent, playedAt: '2026-08-20T14:03:07.250Z' });
  });
  it('is what the log accepts', () =>
    expect(PopRecorded.schema.parse(canonicalPlay(play()))).to.deep.equal(canonicalPlay(play())));
});

describe('the content of a play', () => {
  it('is the same however the instant is written', () =>
    expect(contentOf(play())).to.equal(contentOf(play({ playedAt: '2026-08-20T14:03:07.2500Z' }))));
  it('is the same before and after it was made canonical', () =>
    expect(contentOf(canonicalPlay(play()))).to.equal(contentOf(play())));
  it('is the same in whatever order keys come, at every depth', () =>
    expect(contentOf(play({ context: { a: 1, b: { c: [{ d: 1, e: 2 }], f: 3 } } }))).to.equal(
      contentOf(play({ context: { b: { f: 3, c: [{ e: 2, d: 1 }] }, a: 1 } })),
    ));
  it('is another when anything is', () => {
    const others: Partial<PopEvent>[] = [
      { playedAt: '2026-08-20T14:03:07.251Z' },
      { durationMs: 10_001 },
      { screenId: 'screen-2' },
      { startReason: 'scheduled' },
      { context: {} },
      { context: { a: null } },
      { context: { a: [1, 2] } },
      { context: { a: [2, 1] } },
      { impressions: { ageBuckets: { total: 1 } } },
    ];
    const contents = [{}, ...others].map((other) => contentOf(play(other)));
    expect(new Set(contents).size).to.equal(contents.length);
  });

  it('survives the way through JSON, whatever the vendor put in', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (context) => {
        const sent = { ...play(), context };
        expect(contentOf(JSON.parse(JSON.stringify(sent)) as PopEvent)).to.equal(contentOf(sent));
      }),
      runs(200),
    ));
});

describe('the time of a play', () => {
  it('is late when more than 14 days ago', () => {
    expect(playFlags(received - 14 * dayMs, received)).to.deep.equal({ late: false, clockAhead: false });
    expect(playFlags(received - 14 * dayMs - 1, received)).to.deep.equal({ late: true, clockAhead: false });
  });
  it('is ahead when more than 60 s in the future', () => {
    expect(playFlags(received + 60_000, received)).to.deep.equal({ late: false, clockAhead: false });
    expect(playFlags(received + 60_001, received)).to.deep.equal({ late: false, clockAhead: true });
  });
  it('is refused when more than 24 h in the future', () => {
    expect(refusePlayedAt(received + dayMs, received)).to.equal(undefined);
    expect(refusePlayedAt(received + dayMs + 1, received)).to.equal('must not be more than 24 h in the future');
  });
  it('is refused before the year 2000', () => {
    expect(refusePlayedAt(Date.UTC(2000, 0, 1), received)).to.equal(undefined);
    expect(refusePlayedAt(Date.UTC(2000, 0, 1) - 1, received)).to.equal('must not be before the year 2000');
  });
  it('is refused when older than allowed, where there is a limit', () => {
    expect(refusePlayedAt(received - 30 * dayMs, received, 30)).to.equal(undefined);
    expect(refusePlayedAt(received - 30 * dayMs - 1, received, 30)).to.equal('must not be more than 30 days ago');
  });
});

describe('a canonical detection', () => {
  const least = {
    detectionId: 'd-1',
    deviceId: 11,
    watcherId: -7,
    startedAt: '2026-08-20T16:00:00+02:00',
    endedAt: '2026-08-20T14:00:20.4999Z',
    watches: [{ startedAt: '2026-08-20T14:00:01Z', endedAt: '2026-08-20T16:00:02+02:00' }],
  };

  it('writes the defaults out and instants in UTC', () =>
    expect(canonicalDetection(Detection.parse(least))).to.deep.equal({
      detectionId: 'd-1',
      revision: 0,
      deviceId: 11,
      watcherId: -7,
      startedAt: '2026-08-20T14:00:00.000Z',
      endedAt: '2026-08-20T14:00:20.499Z',
      distance: [],
      watches: [{ startedAt: '2026-08-20T14:00:01.000Z', endedAt: '2026-08-20T14:00:02.000Z' }],
      population: 'VIEWER',
    }));

  it('keeps what was sent, the age as text', () => {
    const full = {
      ...least,
      revision: 3,
      feederId: 21,
      cameraId: 31,
      reid: 'r',
      gender: 'F',
      mood: 'x',
      distance: [1.5],
    };
    const sent = Detection.parse({ ...full, age: 34, ageCategory: 'adult', population: 'FOOTFALL' });
    const told = canonicalDetection(sent);
    expect(told).to.include({ revision: 3, feederId: 21, cameraId: 31, reid: 'r', gender: 'F', age: '34' });
    expect(told).to.include({ ageCategory: 'adult', population: 'FOOTFALL' });
    expect(DetectionRecorded.schema.parse(told)).to.deep.equal(told);
  });
});
