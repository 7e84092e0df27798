import { contentHash, type Play } from '@popsvc/client';
import { expect } from 'chai';
import { contentHashVectors } from '../support/content-hash-vectors.ts';

const play: Play = {
  eventId: 'e-1',
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: '2026-08-20T14:00:00Z',
  durationMs: 10_000,
};

describe('the content hash of the client', () => {
  for (const vector of contentHashVectors)
    it(`equals the published hash: ${vector.title}`, () =>
      expect(contentHash(vector.play)).to.equal(vector.contentHash));

  it('ignores fields that are undefined, as the request does', () => {
    const withUndefined = { ...play, startReason: undefined, context: { a: 1, b: undefined } };
    expect(contentHash(withUndefined)).to.equal(contentHash({ ...play, context: { a: 1 } }));
  });

  it('rejects times and numbers that no request contains', () => {
    for (const playedAt of [
      '2026-02-31T14:00:00Z',
      '2026-08-20T24:00:00Z',
      '2026-08-20T14:00:00',
      '2026-08-20',
      '2026-08-20T14:00:00+19:00',
      '2026-08-20T14:00:00+01:60',
      '',
    ])
      expect(() => contentHash({ ...play, playedAt }), playedAt).to.throw(TypeError, /playedAt/);
    expect(() => contentHash({ ...play, durationMs: Number.NaN })).to.throw(TypeError, /NaN/);
  });
});
