import { playTimeFlags, checkPlayedAt } from '@popsvc/domain/intake';
import { expect } from 'chai';

const dayMs = 86_400_000;
const received = Date.parse('2026-08-20T12:00:00.000Z');

describe('the time of a play', () => {
  it('is late if more than 14 days ago', () => {
    expect(playTimeFlags(received - 14 * dayMs, received)).to.deep.equal({ late: false, clockAhead: false });
    expect(playTimeFlags(received - 14 * dayMs - 1, received)).to.deep.equal({ late: true, clockAhead: false });
  });
  it('is ahead if more than 60 s in the future', () => {
    expect(playTimeFlags(received + 60_000, received)).to.deep.equal({ late: false, clockAhead: false });
    expect(playTimeFlags(received + 60_001, received)).to.deep.equal({ late: false, clockAhead: true });
  });
  it('is refused if more than 24 h in the future', () => {
    expect(checkPlayedAt(received + dayMs, received)).to.equal(undefined);
    expect(checkPlayedAt(received + dayMs + 1, received)).to.equal('must not be more than 24 h in the future');
  });
  it('is refused before the year 2000', () => {
    expect(checkPlayedAt(Date.UTC(2000, 0, 1), received)).to.equal(undefined);
    expect(checkPlayedAt(Date.UTC(2000, 0, 1) - 1, received)).to.equal('must not be before the year 2000');
  });
  it('is refused if older than the configured limit', () => {
    expect(checkPlayedAt(received - 30 * dayMs, received, 30)).to.equal(undefined);
    expect(checkPlayedAt(received - 30 * dayMs - 1, received, 30)).to.equal('must not be more than 30 days ago');
  });
});
