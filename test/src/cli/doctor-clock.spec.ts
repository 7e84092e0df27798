import { clockFindings } from '@popsvc/cli/doctor';
import { expect } from 'chai';

describe('popsvc doctor, of the clock of this machine', () => {
  const now = Date.UTC(2026, 7, 20, 14);
  const told = (theirsMs: number, tookMs: number) =>
    clockFindings(new Date(theirsMs).toUTCString(), now, now + tookMs).map(({ found }) => found);

  it('says nothing of an answer that took long, whenever its time was written', () => {
    for (const at of [0, 1_000, 9_000, 18_000]) expect(told(now + at, 18_000), `${at}`).to.deep.equal([]);
  });

  it('says by how much the clocks are apart', () => {
    expect(told(now + 60_000, 100)).to.deep.equal(['the operations server is 60 s ahead of this machine']);
    expect(told(now - 61_000, 100)).to.deep.equal(['the operations server is 60 s behind this machine']);
    expect(told(now + 4_000, 100)).to.deep.equal([]);
  });

  it('says nothing where no time was told', () => {
    expect(clockFindings(null, now, now)).to.deep.equal([]);
  });
});
