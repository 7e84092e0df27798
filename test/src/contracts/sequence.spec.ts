import {
  formatItemId,
  lastSequenceAt,
  maxEventItems,
  parseItemId,
  placeOf,
  sequenceOf,
} from '@popsvc/contracts/events';
import { expect } from 'chai';
import fc from 'fast-check';

const place = fc.record({
  position: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
  index: fc.integer({ min: 0, max: maxEventItems - 1 }),
});

describe('the sequence of an item', () => {
  it('is ordered by position, then by index', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        const order = one.position === other.position ? one.index < other.index : one.position < other.position;
        expect(sequenceOf(one.position, one.index) < sequenceOf(other.position, other.index)).to.equal(order);
      }),
    );
  });

  it('is at most the last sequence of its position, and above that of all lower positions', () => {
    fc.assert(
      fc.property(place, ({ position, index }) => {
        const sequence = sequenceOf(position, index);
        expect(sequence <= lastSequenceAt(position)).to.equal(true);
        expect(sequence > lastSequenceAt(position - 1n)).to.equal(true);
      }),
    );
  });

  it('fits into the integers of PostgreSQL, and twice into those of ClickHouse', () => {
    const highest = lastSequenceAt(2n ** 53n - 1n);
    expect(highest < 2n ** 63n).to.equal(true);
    expect(2n * highest + 1n < 2n ** 64n).to.equal(true);
  });

  it('names the event and the index, also as text', () => {
    fc.assert(
      fc.property(place, ({ position, index }) => {
        const sequence = sequenceOf(position, index);
        expect(placeOf(sequence)).to.deep.equal({ position, index });
        expect(formatItemId(sequence)).to.equal(`${position}:${index}`);
        expect(parseItemId(`${position}:${index}`)).to.equal(sequence);
        expect(parseItemId(`${position}`)).to.equal(sequenceOf(position));
      }),
    );
  });

  for (const text of ['', 'x', '-1', '1:', ':1', '1:1024', '1:-1', '1:2:3', '1.5', ' 1', '9007199254740992', '1:00001'])
    it(`is not parsed from ${JSON.stringify(text)}`, () => expect(parseItemId(text)).to.equal(undefined));
});
