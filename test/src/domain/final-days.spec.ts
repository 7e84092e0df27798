import { listNewFinalDays } from '@popsvc/domain/notices';
import { expect } from 'chai';

const ms = (instant: string) => Date.parse(instant);

describe('final days of a network', () => {
  const registeredMs = ms('2026-08-01T12:00:00Z');
  const listAt = (asOf: string, last: string | undefined, retired?: string) =>
    listNewFinalDays(
      { asOfMs: ms(asOf), finalHours: 48 },
      { last, registeredMs, retiredMs: retired === undefined ? undefined : ms(retired) },
    );

  it('are the days after the last one that ended the given hours ago', () => {
    expect(listAt('2026-08-12T00:00:00Z', '2026-08-07')).to.deep.equal(['2026-08-08', '2026-08-09']);
    expect(listAt('2026-08-11T23:59:59Z', '2026-08-07')).to.deep.equal(['2026-08-08']);
    expect(listAt('2026-08-10T00:00:00Z', '2026-08-07')).to.deep.equal([]);
  });

  it('begin with the latest one, but not before the registration', () => {
    expect(listAt('2026-08-12T00:00:00Z', undefined)).to.deep.equal(['2026-08-09']);
    expect(listAt('2026-08-02T00:00:00Z', undefined)).to.deep.equal([]);
  });

  it('are at most 31 in one call', () => {
    const days = listAt('2026-10-12T00:00:00Z', '2026-08-07');
    expect([days.length, days[0], days.at(-1)]).to.deep.equal([31, '2026-08-08', '2026-09-07']);
  });

  it('end with the day on which the network is retired', () => {
    expect(listAt('2026-08-12T00:00:00Z', '2026-08-06', '2026-08-08T09:00:00Z')).to.deep.equal([
      '2026-08-07',
      '2026-08-08',
    ]);
    expect(listAt('2026-08-12T00:00:00Z', '2026-08-08', '2026-08-08T09:00:00Z')).to.deep.equal([]);
  });
});
