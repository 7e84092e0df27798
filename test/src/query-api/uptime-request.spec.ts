import { type ApiError } from '@popsvc/contracts/errors';
import { parseUptimeRequest } from '@popsvc/query-api/uptime';
import { expect } from 'chai';

const params = { deviceId: '4', appCode: 'player' };
const windowAt = (now: string, query: Record<string, string> = {}) => {
  const { from, to } = parseUptimeRequest({ params, query }, Date.parse(now)).window;
  return [new Date(from).toISOString(), new Date(to).toISOString()];
};

describe('the window of an uptime request', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  for (const [tz, now, midnight] of [
    ['UTC', '2026-08-20T12:00:00.500Z', '2026-08-20T00:00:00.000Z'],
    ['UTC', '2026-08-20T00:00:00.000Z', '2026-08-19T00:00:00.000Z'],
    ['America/New_York', '2026-08-20T03:59:59.000Z', '2026-08-19T04:00:00.000Z'],
    ['America/New_York', '2026-08-20T04:00:00.001Z', '2026-08-20T04:00:00.000Z'],
    ['Asia/Kathmandu', '2026-08-20T18:15:01.000Z', '2026-08-20T18:15:00.000Z'],
    // A day of 23 hours, a day of 25 hours, and a day without midnight, on which clocks go forward from 0:00 to 1:00.
    ['Europe/London', '2026-03-29T22:59:59.000Z', '2026-03-29T00:00:00.000Z'],
    ['Europe/London', '2026-10-25T23:59:59.000Z', '2026-10-24T23:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29T10:00:00.000Z', '2026-03-28T22:00:00.000Z'],
  ] as const)
    it(`begins at ${midnight} by default in ${tz} at ${now}`, () => {
      process.env['TZ'] = tz;
      expect(windowAt(now)).deep.equal([midnight, now]);
      expect(windowAt(now, { from: '2020-01-01T00:00:00Z' })).deep.equal(['2020-01-01T00:00:00.000Z', now]);
    });

  it('ends at the parameter to, but never later than now', () => {
    const [from, now] = ['2026-08-20T10:00:00Z', '2026-08-20T12:00:00.000Z'];
    const to = (text: string) => windowAt(now, { from, to: text })[1];
    expect(to('2026-08-20T13:00:00+02:00')).equal('2026-08-20T11:00:00.000Z');
    expect(to('2026-08-20T12:00:00Z')).equal(now);
    expect(to('2026-08-20T12:00:00.001Z')).equal(now);
    expect(to('9999-12-31T23:59:59Z')).equal(now);
    expect(to('2026-08-20T11:59:59.9999Z'), 'digits past the millisecond are cut').equal('2026-08-20T11:59:59.999Z');
  });

  it('names the given parameter when it is invalid', () => {
    const refusedNames = (query: Record<string, string>) => {
      try {
        return windowAt('2026-08-20T12:00:00.000Z', query);
      } catch (error) {
        return (error as ApiError).details.map(({ path }) => path);
      }
    };
    process.env['TZ'] = 'UTC';
    const [early, late] = ['2026-08-19T00:00:00Z', '2026-08-21T00:00:00Z'];
    expect(refusedNames({ to: early })).deep.equal(['to']);
    expect(refusedNames({ from: late })).deep.equal(['from']);
    expect(refusedNames({ from: early, to: early })).deep.equal(['from']);
    expect(refusedNames({ from: 'x', to: early })).deep.equal(['from']);
    expect(refusedNames({ from: 'x', to: 'x' })).deep.equal(['from', 'to']);
  });
});
