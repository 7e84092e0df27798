import { rowBinary } from '@popsvc/platform/read-store';
import { expect } from 'chai';

const field = (type: string) => ({ type, about: '' });
const batch = rowBinary({
  name: field('String'),
  small: field('UInt8'),
  far: field('Int64'),
  gone: field('Nullable(UInt16)'),
});

describe('rows in RowBinary', () => {
  it('stand as ClickHouse reads them: fields in order, little-endian, texts with their length', () => {
    const rows = batch();
    rows.add({ name: 'ä', small: 7, far: -2, gone: null });
    rows.add({ name: '', small: 255, far: 2 ** 53 - 1, gone: 258 });
    expect(rows.body().toString('hex')).to.equal(
      ['02c3a4', '07', 'feffffffffffffff', '01', '00', 'ff', 'ffffffffffff1f00', '00', '0201'].join(''),
    );
    expect([rows.rows, rows.bytes]).to.deep.equal([2, 26]);
  });

  it('are not there in part: a row with a value its column cannot hold leaves the batch as it was', () => {
    const rows = batch();
    rows.add({ name: 'whole', small: 1, far: 1, gone: null });
    const before = Buffer.from(rows.body());
    expect(() => rows.add({ name: 'half', small: 256, far: 1, gone: null })).to.throw(RangeError);
    expect(rows.body().equals(before)).to.equal(true);
    expect(rows.rows).to.equal(1);
  });
});
