import { compileRowBinary } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';

const field = (type: string) => ({ type, about: '' });
const batch = compileRowBinary({
  name: field('String'),
  small: field('UInt8'),
  far: field('Int64'),
  gone: field('Nullable(UInt16)'),
});

describe('rows in RowBinary', () => {
  it('are encoded with fields in order, little-endian numbers and length-prefixed strings', () => {
    const rows = batch();
    rows.add({ name: 'ä', small: 7, far: -2, gone: null });
    rows.add({ name: '', small: 255, far: 2 ** 53 - 1, gone: 258 });
    expect(rows.body().toString('hex')).to.equal(
      ['02c3a4', '07', 'feffffffffffffff', '01', '00', 'ff', 'ffffffffffff1f00', '00', '0201'].join(''), // cspell:disable-line
    );
    expect([rows.rows, rows.bytes]).to.deep.equal([2, 26]);
  });

  it('contain the bytes of a FixedString without a length', () => {
    const rows = compileRowBinary({ digest: field('FixedString(3)'), small: field('UInt8') })();
    rows.add({ digest: '\u0000\u007f\u00ff', small: 7 });
    expect(rows.body().toString('hex')).to.equal('007fff07');
  });

  it('are added as a whole: a row with a value its column cannot hold leaves the batch unchanged', () => {
    const rows = batch();
    rows.add({ name: 'whole', small: 1, far: 1, gone: null });
    const before = Buffer.from(rows.body());
    expect(() => rows.add({ name: 'half', small: 256, far: 1, gone: null })).to.throw(RangeError);
    expect(rows.body().equals(before)).to.equal(true);
    expect(rows.rows).to.equal(1);
  });

  it('reject values that a column would change', () => {
    const of = (type: string, value: unknown) => () => compileRowBinary({ value: field(type) })().add({ value });
    for (const [type, values] of [
      ['UInt8', [NaN, 1.5, -1, 256, undefined, '7']],
      ['UInt32', [2 ** 32, NaN, null]],
      ['UInt64', [-1, 2 ** 53, -1n, 2n ** 64n]],
      ['Int64', [2 ** 53, NaN, 2n ** 63n]],
      ['Float64', [NaN, Infinity, undefined]],
      ["DateTime64(3, 'UTC')", [NaN, Date.UTC(1899, 11, 31), Date.UTC(2300, 0, 1), 0.5]],
      ['Array(Float64)', [[1, NaN], undefined]],
      ['String', [undefined, 7]],
      ['FixedString(3)', [undefined, 'ab', 'abcd', 123]],
    ] as const)
      for (const value of values) expect(of(type, value), `${type} ${String(value)}`).to.throw();
    for (const [type, value] of [
      ['UInt8', true],
      ['UInt64', 2n ** 64n - 1n],
      ['Int64', -(2n ** 63n)],
      ["DateTime64(3, 'UTC')", Date.UTC(1900, 0, 1)],
    ] as const)
      expect(of(type, value)).not.to.throw();
  });

  it('are removed back to a savepoint', () => {
    const rows = batch();
    rows.add({ name: 'kept', small: 1, far: 1, gone: null });
    const [undo, bytes] = [rows.savepoint(), rows.bytes];
    rows.add({ name: 'gone', small: 1, far: 1, gone: null });
    undo();
    expect([rows.rows, rows.bytes]).to.deep.equal([1, bytes]);
  });
});
