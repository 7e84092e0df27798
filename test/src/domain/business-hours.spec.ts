import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';
import { isOpen, isOpenDuring, toWeeklyHours } from '@popsvc/domain/business-hours';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const london = 'Europe/London';
const open = (hours: BusinessHours | undefined, instant: string, zone = london) =>
  isOpen(toWeeklyHours(hours), Date.parse(instant), zone);

describe('a week of business hours', () => {
  it('without a schedule is always open', () =>
    expect(toWeeklyHours(undefined)).to.deep.equal({ opens: [0], closes: [10_080] }));
  it('with an empty schedule is always closed', () =>
    expect(toWeeklyHours({})).to.deep.equal({ opens: [], closes: [] }));
  it('counts minutes from Monday', () =>
    expect(toWeeklyHours({ mon: ['07:00-22:00'], sun: ['10:00-18:00'] })).to.deep.equal({
      opens: [420, 9_240],
      closes: [1_320, 9_720],
    }));
  it('extends past midnight if the end is not after the start', () =>
    expect(toWeeklyHours({ fri: ['22:00-02:00'] })).to.deep.equal({ opens: [7_080], closes: [7_320] }));
  it('covers a whole day if both are equal', () =>
    expect(toWeeklyHours({ tue: ['08:00-08:00'] })).to.deep.equal({ opens: [1_920], closes: [3_360] }));
  it('continues from Sunday night to Monday', () =>
    expect(toWeeklyHours({ sun: ['22:00-02:00'] })).to.deep.equal({ opens: [0, 9_960], closes: [120, 10_080] }));
  it('ends at 24:00 without continuing', () =>
    expect(toWeeklyHours({ sun: ['12:00-24:00'] })).to.deep.equal({ opens: [9_360], closes: [10_080] }));
  it('joins adjacent days and sorts the openings', () =>
    expect(toWeeklyHours({ mon: ['12:00-24:00', '06:00-08:00'], tue: ['00:00-10:00'] })).to.deep.equal({
      opens: [360, 720],
      closes: [480, 2_040],
    }));
  it('joins openings that overlap', () =>
    expect(toWeeklyHours({ wed: ['08:00-12:00', '11:00-15:00'] })).to.deep.equal({ opens: [3_360], closes: [3_780] }));
});

describe('whether a site is open', () => {
  const hours = { thu: ['07:00-22:00'] };
  it('includes the first millisecond and excludes the last', () => {
    expect(open(hours, '2026-08-20T05:59:59.999Z')).to.equal(false);
    expect(open(hours, '2026-08-20T06:00:00.000Z')).to.equal(true);
    expect(open(hours, '2026-08-20T20:59:59.999Z')).to.equal(true);
    expect(open(hours, '2026-08-20T21:00:00.000Z')).to.equal(false);
  });
  it('uses the local time of the zone', () =>
    expect(open(hours, '2026-08-20T06:30:00Z', 'America/New_York')).to.equal(false));
  it('is the same in both passes of a repeated hour', () => {
    const night = { sun: ['01:15-01:45'] };
    expect(open(night, '2026-10-25T00:30:00Z')).to.equal(true);
    expect(open(night, '2026-10-25T01:30:00Z')).to.equal(true);
    expect(open(night, '2026-10-25T01:50:00Z')).to.equal(false);
  });
  it('is never true if the clock skips all of the opening', () => {
    const night = { sun: ['01:15-01:45'] };
    for (let minute = 0; minute < 180; minute += 1)
      expect(isOpen(toWeeklyHours(night), Date.parse('2026-03-29T00:00:00Z') + minute * 60_000, london)).to.equal(
        false,
      );
  });
  it('continues into Monday', () => {
    expect(open({ sun: ['22:00-02:00'] }, '2026-08-24T00:59:00Z')).to.equal(true);
    expect(open({ sun: ['22:00-02:00'] }, '2026-08-24T01:00:00Z')).to.equal(false);
  });
  it('is always true without a schedule', () => expect(open(undefined, '2026-08-23T03:00:00Z')).to.equal(true));
});

describe('any schedule', () => {
  const clock = fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15);
  const opening = fc.tuple(clock, fc.oneof(clock, fc.constant(1_440)));
  const schedule = fc.dictionary(fc.constantFrom(...DAYS), fc.array(opening, { maxLength: 3 }), { maxKeys: 7 });
  const written = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

  it('is open in exactly its minutes, sorted and joined', () =>
    fc.assert(
      fc.property(schedule, (days) => {
        const minutes = new Set<number>();
        const hours: BusinessHours = {};
        for (const [index, day] of DAYS.entries()) {
          if (!days[day]) continue;
          hours[day] = days[day].map(([from, to]) => `${written(from)}-${written(to)}`);
          for (const [from, to] of days[day]) {
            const length = to > from ? to - from : to + 1_440 - from;
            for (let minute = 0; minute < length; minute += 1) minutes.add((index * 1_440 + from + minute) % 10_080);
          }
        }
        const { opens, closes } = toWeeklyHours(hours);
        const found = opens.flatMap((from, index) =>
          Array.from({ length: closes[index]! - from }, (_, minute) => from + minute),
        );
        expect(found).to.deep.equal([...minutes].sort((a, b) => a - b));
        for (const [index, from] of opens.entries()) if (index > 0) expect(from).to.be.above(closes[index - 1]!);
      }),
      runs(100),
    ));
});

describe('whether a site is open during an hour', () => {
  const during = (hours: BusinessHours | undefined, instant: string, zone = london) =>
    isOpenDuring(toWeeklyHours(hours), { fromMs: Date.parse(instant), minutes: 60 }, zone);
  it('includes hours in which it opens or closes', () => {
    const hours = { thu: ['07:30-22:15'] };
    const times = ['05:00', '06:00', '12:00', '21:00', '22:00'].map((time) => `2026-09-17T${time}:00Z`);
    expect(times.map((time) => during(hours, time))).to.deep.equal([false, true, true, true, false]);
  });
  it('excludes hours at whose start it closes or at whose end it opens', () => {
    const hours = { thu: ['07:00-22:00'] };
    expect([during(hours, '2026-09-17T05:00:00Z'), during(hours, '2026-09-17T21:00:00Z')]).to.deep.equal([
      false,
      false,
    ]);
  });
  it('continues from Sunday night to Monday, in a zone with an offset of half an hour', () => {
    const hours = { mon: ['00:00-00:15'] };
    expect(during(hours, '2026-09-20T18:00:00Z', 'Asia/Kolkata')).to.equal(true);
    expect(during(hours, '2026-09-20T17:00:00Z', 'Asia/Kolkata')).to.equal(false);
  });
  it('is true if it is open in one of its minutes', () =>
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2026-03-01'), max: new Date('2026-11-30'), noInvalidDate: true }),
        (date) => {
          const hours = { mon: ['09:10-12:00'], fri: ['22:00-02:05'], sun: ['23:30-00:20'] };
          const fromMs = Math.floor(+date / 3_600_000) * 3_600_000;
          const week = toWeeklyHours(hours);
          const minutes = Array.from({ length: 60 }, (_, minute) => isOpen(week, fromMs + minute * 60_000, london));
          expect(isOpenDuring(week, { fromMs, minutes: 60 }, london)).to.equal(minutes.includes(true));
        },
      ),
      runs(100),
    ));
});
