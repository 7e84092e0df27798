import { mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import fc from 'fast-check';
import { eventWith, mappingWith, inLondon, surroundings } from './given-mapping.ts';
import { runs } from './runs.ts';

/** Local time by Intl, independent of the tested arithmetic. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const shownBy = (zone: string, instantMs: number): string => {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
  clocks.set(zone, clock);
  return clock.format(instantMs).replace(' ', 'T');
};

/** The first instant with this local time, found by trying every quarter of an hour around it. */
const firstShown = (zone: string, wall: string): string => {
  const near = Date.parse(`${wall}Z`);
  const quarterMs = 900_000;
  for (let ms = near - 26 * 4 * quarterMs; ms <= near + 26 * 4 * quarterMs; ms += quarterMs)
    if (shownBy(zone, ms) === wall) return new Date(ms).toISOString();
  return 'skipped_hour';
};

const mapping = mappingWith();
const startOf = (wall: string, zone: string | undefined): string => {
  // Received after all of these times.
  const context = { ...surroundings(zone), receivedAtMs: Date.UTC(2026, 11, 1) };
  const outcome = mapEvent(mapping, eventWith({ start: wall }), context);
  return 'play' in outcome ? outcome.play.playedAt : outcome.unfit.code;
};

describe('A local time of a device', () => {
  for (const [zone, wall, instant] of [
    ['Europe/London', '2026-03-29T00:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/London', '2026-03-29T01:00:00', 'skipped_hour'],
    ['Europe/London', '2026-03-29T01:59:59', 'skipped_hour'],
    ['Europe/London', '2026-03-29T02:00:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/London', '2025-10-26T00:59:59', '2025-10-25T23:59:59.000Z'],
    ['Europe/London', '2025-10-26T01:30:00', '2025-10-26T00:30:00.000Z'],
    ['Europe/London', '2025-10-26T02:00:00', '2025-10-26T02:00:00.000Z'],
    ['America/New_York', '2026-03-08T02:30:00', 'skipped_hour'],
    ['America/New_York', '2025-11-02T01:30:00', '2025-11-02T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00.000Z'],
    ['Australia/Lord_Howe', '2025-10-05T02:15:00', 'skipped_hour'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00', '2025-12-31T18:15:00.000Z'],
    ['Pacific/Apia', '2011-12-30T12:00:00', 'skipped_hour'],
    ['Pacific/Apia', '2011-12-31T00:00:00', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01T00:00:00', '2025-12-31T10:00:00.000Z'],
    ['America/St_Johns', '2010-03-14T00:00:30', '2010-03-14T03:30:30.000Z'],
    ['America/St_Johns', '2010-03-14T00:01:30', 'skipped_hour'],
    ['Africa/Casablanca', '2026-02-15T02:30:00', '2026-02-15T01:30:00.000Z'],
    // Rules of 2026 that Node.js may not have.
    ['America/Vancouver', '2026-11-20T08:30:00', '2026-11-20T15:30:00.000Z'],
    ['America/Vancouver', '2026-11-01T01:30:00', '2026-11-01T08:30:00.000Z'],
    ['America/Coyhaique', '2026-07-01T09:00:00', '2026-07-01T12:00:00.000Z'],
  ] as const)
    it(`in ${zone}, ${wall} is ${instant}`, () => {
      expect(startOf(wall, zone)).to.equal(instant);
    });

  it('is the first instant with this local time by Intl, or does not exist', () => {
    const zones = fc.constantFrom(
      'Europe/London',
      'Europe/Berlin',
      'America/New_York',
      'America/St_Johns',
      'America/Santiago',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Tehran',
      'Pacific/Chatham',
      'Pacific/Apia',
      'UTC',
    );
    const quarters = fc.integer({ min: Date.UTC(2012) / 900_000, max: Date.UTC(2026, 8) / 900_000 });
    fc.assert(
      fc.property(zones, quarters, (zone, quarter) => {
        const wall = new Date(quarter * 900_000).toISOString().slice(0, 19);
        expect(startOf(wall, zone)).to.equal(firstShown(zone, wall));
      }),
      runs(300),
    );
  });

  it('is correct at every clock change of a year', () => {
    for (const zone of ['Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Chatham'])
      for (let ms = Date.UTC(2025, 0, 1); ms < Date.UTC(2026, 0, 1); ms += 900_000) {
        if (shownBy(zone, ms - 26 * 3_600_000).slice(11) === shownBy(zone, ms + 22 * 3_600_000).slice(11)) continue;
        const wall = new Date(ms).toISOString().slice(0, 19);
        expect(startOf(wall, zone), `${zone} ${wall}`).to.equal(firstShown(zone, wall));
      }
  });

  it('is unknown while the screen is unknown', () => {
    expect(startOf('2026-09-14T10:00:00', undefined)).to.equal('no_zone');
    expect(startOf('2026-09-14T10:00:00', 'Europe/Atlantis')).to.equal('no_zone');
    expect(startOf('2026-09-14T10:00:00Z', undefined)).to.equal('2026-09-14T10:00:00.000Z');
  });

  it('names the screen that is unknown', () => {
    const event = eventWith({ screen: 'lost-screen', start: '2026-09-14T10:00:00' });
    expect(mapEvent(mappingWith(), event, surroundings(undefined))).to.deep.include({
      unfit: { code: 'no_zone', reason: 'playedAt (start): the time zone of the screen "lost-screen" is not known' },
    });
  });
});

describe('The zone of a mapped play', () => {
  const zoneOfStart = (mappedFields: Readonly<Record<string, unknown>>, event: object): string | undefined => {
    const outcome = mapEvent(mappingWith(mappedFields), eventWith(event), inLondon);
    return 'play' in outcome ? outcome.zone : outcome.unfit.code;
  };
  const local = '2026-09-14T10:00:00';

  it('is that by whose rules the start was converted', () => {
    expect(zoneOfStart({}, { start: local })).to.equal('Europe/London');
    expect(zoneOfStart({ playedAt: { path: 'start', zone: 'Asia/Tokyo' } }, { start: local })).to.equal('Asia/Tokyo');
    const ended = { playedAt: null, endedAt: { path: 'end', zone: 'Asia/Tokyo' } };
    expect(zoneOfStart(ended, { end: local })).to.equal('Asia/Tokyo');
  });

  it('is absent if the start does not depend on rules', () => {
    expect(zoneOfStart({}, { start: `${local}Z` })).to.equal(undefined);
    expect(zoneOfStart({}, { start: `${local}+02:00` })).to.equal(undefined);
    expect(zoneOfStart({ playedAt: { path: 'start', zone: 'utc' } }, { start: local })).to.equal(undefined);
  });
});

describe('A device that is moved to another zone', () => {
  const movedAt = Date.parse('2026-06-01T12:00:00Z');
  const startOn = (wall: string, from: string, to: string): string => {
    const outcome = mapEvent(mapping, eventWith({ start: wall }), {
      ...inLondon,
      zoneOf: (screen, atMs) => (screen !== 's-1' ? undefined : atMs < movedAt ? from : to),
    });
    return 'play' in outcome ? outcome.play.playedAt : outcome.unfit.code;
  };

  it('has the local time of the zone it was in', () => {
    const [london, tokyo] = ['Europe/London', 'Asia/Tokyo'];
    expect(startOn('2026-06-01T12:59:59', london, tokyo)).to.equal('2026-06-01T11:59:59.000Z');
    expect(startOn('2026-06-01T13:00:00', london, tokyo), 'its clock jumped to 21:00').to.equal('skipped_hour');
    expect(startOn('2026-06-01T21:00:00', london, tokyo)).to.equal('2026-06-01T12:00:00.000Z');
    expect(startOn('2026-06-01T14:00:00', tokyo, london), 'shown twice').to.equal('2026-06-01T05:00:00.000Z');
    expect(startOn('2026-06-02T00:00:00', tokyo, london)).to.equal('2026-06-01T23:00:00.000Z');
  });
});
