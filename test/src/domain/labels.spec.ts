import { timeLabels, formatLocalTimestamp } from '../oracle/time-labels.ts';
import { zoneNames } from '@popsvc/contracts/time-zones';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const local = (instant: string, zone: string) => formatLocalTimestamp(Date.parse(instant), zone);
const labels = (instant: string, zone: string) => timeLabels(Date.parse(instant), zone);

describe('local timestamps', () => {
  it('have three digits and an offset, in UTC too', () =>
    expect(local('2026-08-20T14:03:07.250Z', 'UTC')).to.equal('2026-08-20T14:03:07.250+00:00'));

  it('distinguish the repeated hour by the offset', () => {
    expect(local('2026-10-25T00:30:00Z', 'Europe/London')).to.equal('2026-10-25T01:30:00.000+01:00');
    expect(local('2026-10-25T01:30:00Z', 'Europe/London')).to.equal('2026-10-25T01:30:00.000+00:00');
  });

  it('skip the skipped hour', () => {
    expect(local('2026-03-29T00:59:59.999Z', 'Europe/London')).to.equal('2026-03-29T00:59:59.999+00:00');
    expect(local('2026-03-29T01:00:00Z', 'Europe/London')).to.equal('2026-03-29T02:00:00.000+01:00');
    expect(local('2026-03-08T06:59:59.999Z', 'America/New_York')).to.equal('2026-03-08T01:59:59.999-05:00');
    expect(local('2026-03-08T07:00:00Z', 'America/New_York')).to.equal('2026-03-08T03:00:00.000-04:00');
  });

  it('have offsets that are not whole hours', () => {
    expect(local('2026-01-01T00:00:00Z', 'Asia/Kathmandu')).to.equal('2026-01-01T05:45:00.000+05:45');
    expect(local('2026-01-01T00:00:00Z', 'America/St_Johns')).to.equal('2025-12-31T20:30:00.000-03:30');
  });

  it("repeat Lord Howe's half hour", () => {
    expect(local('2026-04-04T14:59:59.999Z', 'Australia/Lord_Howe')).to.equal('2026-04-05T01:59:59.999+11:00');
    expect(local('2026-04-04T15:00:00Z', 'Australia/Lord_Howe')).to.equal('2026-04-05T01:30:00.000+10:30');
  });

  it('throw for an unknown zone', () =>
    expect(() => formatLocalTimestamp(0, 'Europe/Atlantis')).to.throw(RangeError, 'Europe/Atlantis'));
});

describe('labels', () => {
  it('are those of the zone, not of UTC', () =>
    expect(labels('2026-08-31T23:15:00Z', 'Europe/London')).to.deep.equal({
      dateOnly: '2026-09-01',
      month: '2026-09',
      hour: '00',
      day: 'Tuesday',
      timeRange: '00:00-01:00',
    }));

  it('end the day at 24:00', () =>
    expect(labels('2026-08-20T23:59:59.999Z', 'UTC')).to.include({
      hour: '23',
      timeRange: '23:00-24:00',
      day: 'Thursday',
    }));

  it('are the same in both passes of a repeated hour', () =>
    expect(labels('2026-10-25T00:30:00Z', 'Europe/London')).to.deep.equal(
      labels('2026-10-25T01:30:00Z', 'Europe/London'),
    ));

  it('begin the week on Monday and end it on Sunday', () => {
    expect(labels('2026-08-17T12:00:00Z', 'UTC').day).to.equal('Monday');
    expect(labels('2026-08-23T12:00:00Z', 'UTC').day).to.equal('Sunday');
  });
});

describe('at any instant in any zone', () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2060, 0, 1) });
  const zone = fc.constantFrom(...zoneNames);

  it('a local timestamp denotes that instant', () =>
    fc.assert(
      fc.property(instant, zone, (ms, tz) => {
        expect(formatLocalTimestamp(ms, tz)).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
        expect(Date.parse(formatLocalTimestamp(ms, tz))).to.equal(ms);
      }),
      runs(300),
    ));

  it('the labels agree with the local timestamp', () =>
    fc.assert(
      fc.property(instant, zone, (ms, timeZone) => {
        const text = formatLocalTimestamp(ms, timeZone);
        const [date, hour] = [text.slice(0, 10), text.slice(11, 13)];
        expect(timeLabels(ms, timeZone)).to.deep.equal({
          dateOnly: date,
          month: date.slice(0, 7),
          hour,
          day: new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long' }).format(Date.parse(date)),
          timeRange: `${hour}:00-${String(Number(hour) + 1).padStart(2, '0')}:00`,
        });
      }),
      runs(200),
    ));
});
