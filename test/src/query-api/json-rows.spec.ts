import { joinRows, mergeLinesById } from '@popsvc/query-api/responses';
import { expect } from 'chai';
import fc from 'fast-check';

interface Line {
  readonly id: number;
  readonly name: string;
}

const toLines = (rows: readonly Line[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

describe('mergeLinesById', () => {
  it('returns the lines of a single shard as they are', () => {
    const lines = toLines([{ id: 2, name: 'b' }]);
    expect(mergeLinesById([lines])).to.equal(lines);
  });

  it('compares ids as numbers, whatever follows them', () => {
    const merged = mergeLinesById([
      Buffer.from('{"id":9,"name":"é \\n {\\"id\\":1}"}\n{"id":100,"name":""}\n'),
      Buffer.from('{"id":10,"name":"x"}\n'),
    ]);
    expect(merged.toString()).to.equal(
      '{"id":9,"name":"é \\n {\\"id\\":1}"}\n{"id":10,"name":"x"}\n{"id":100,"name":""}\n',
    );
  });

  it('merges the lines of any shards, some of which have none, into one JSON array sorted by id', () => {
    const line = fc.record({ id: fc.nat(), name: fc.string() });
    const rows = fc.uniqueArray(fc.tuple(line, fc.nat(3)), { selector: ([{ id }]) => id });
    fc.assert(
      fc.property(rows, (all) => {
        const sortedOf = (items: typeof all) => items.map(([each]) => each).sort((one, other) => one.id - other.id);
        const parts = [0, 1, 2, 3].map((shard) => toLines(sortedOf(all.filter(([, of]) => of === shard))));
        const { rows: joined, count } = joinRows(mergeLinesById(parts));
        expect(`[${joined.toString()}]`).to.equal(JSON.stringify(sortedOf(all)));
        expect(count).to.equal(all.length);
      }),
    );
  });
});
