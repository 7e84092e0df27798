import { compareClocks } from '@popsvc/cli/doctor';
import { expect } from 'chai';

describe('popsvc doctor: compareClocks', () => {
  const now = Date.UTC(2026, 7, 20, 14);
  const compare = (serverMs: number, durationMs: number) =>
    compareClocks(new Date(serverMs).toUTCString(), now, now + durationMs).map(({ found }) => found);

  it('tolerates slow responses, whenever the server wrote the time', () => {
    for (const at of [0, 1_000, 9_000, 18_000]) expect(compare(now + at, 18_000), `${at}`).to.deep.equal([]);
  });

  it('reports the difference between the clocks', () => {
    expect(compare(now + 60_000, 100)).to.deep.equal(['the operations server is 60 s ahead of this machine']);
    expect(compare(now - 61_000, 100)).to.deep.equal(['the operations server is 60 s behind this machine']);
    expect(compare(now + 4_000, 100)).to.deep.equal([]);
  });

  it('reports nothing without a Date header', () => {
    expect(compareClocks(null, now, now)).to.deep.equal([]);
  });
});
