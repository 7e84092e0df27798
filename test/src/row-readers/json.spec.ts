import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

const json = { format: 'json' } as const;
const truncatedAt = (byte: number) => `The file is truncated: it ends at byte ${byte}, before its array does.`;

describe('rows of a JSON file', () => {
  it('are the objects of one array in any layout', async () => {
    const event = { 'a]"': '[{,\\', b: [[], {}, '}'], 'c\\': null };
    for (const text of [JSON.stringify([event, event]), `\uFEFF \n${JSON.stringify([event, event], null, 2)}\r\n\t`]) {
      const { events, errors, unreadable } = await readAll(text, json);
      expect(events).to.deep.equal([event, event]);
      expect([errors, unreadable]).to.deep.equal([[], undefined]);
    }
  });

  it('are absent in an empty array', async () => {
    for (const text of ['[]', ' [ \n ] '])
      expect(await readAll(text, json))
        .to.include({ unreadable: undefined })
        .and.to.have.property('rows')
        .deep.equal([]);
  });

  it('report elements that are not objects, and reading continues', async () => {
    const { events, errors, unreadable } = await readAll(
      '[{"a":1}, 2, "x,]", null, [{"a":1}], {"a":tru}, {"b" 1}, , {"a":3}, ]',
      json,
    );
    expect(events).to.deep.equal([{ a: 1 }, { a: 3 }]);
    expect(errors).to.deep.equal([
      [2, 'is not an object'],
      [3, 'is not an object'],
      [4, 'is not an object'],
      [5, 'is not an object'],
      [6, 'is not JSON'],
      [7, 'is not JSON at character 7'],
      [8, 'is missing: there is a comma too many'],
      [10, 'is missing: there is a comma too many'],
    ]);
    expect(unreadable).to.equal(undefined);
  });

  for (const [what, text, expected, cutRow] of [
    ['cut in an element', '[{"a":1},{"a":2},{"é', truncatedAt(21), true],
    ['cut after an element', '[{"a":1},{"a":2},{"a":3}', truncatedAt(24), true],
    ['cut after a comma', '[{"a":1},{"a":2},\n', truncatedAt(18), false],
    ['with a byte order mark, cut', '\uFEFF[{"a":1},{"a":2},{', truncatedAt(21), true],
    ['with a quote that is never closed', '[{"a":1},{"a":2},{"a":"x},{"a":4}]', truncatedAt(34), true],
    ['with a bracket too few', '[{"a":1},{"a":2},{"a":[4},{"a":4}]', truncatedAt(34), true],
    [
      'that goes on',
      '[{"a":1},{"a":2}] x',
      'The file is not one JSON array: it continues after the last ] at byte 19.',
      false,
    ],
    [
      'of two arrays',
      '\uFEFF[{"a":1},{"a":2}][{"a":3}]',
      'The file is not one JSON array: it continues after the last ] at byte 21.',
      false,
    ],
  ] as const)
    it(`are read up to the error in a file ${what}`, async () => {
      for (const sizes of [undefined, [1], [5, 2]]) {
        const { events, errors, unreadable } = await readAll(text, json, sizes);
        expect(events).to.deep.equal([{ a: 1 }, { a: 2 }]);
        const bytes = Buffer.byteLength(text);
        expect(errors).to.deep.equal(cutRow ? [[3, `is cut off: the file ends at byte ${bytes}`]] : []);
        expect(unreadable).to.equal(expected);
      }
    });

  it('are not read from a file that is not an array', async () => {
    for (const text of ['{"a":1}', '"x"', 'a,b\n1,2', '{"a":1}\n{"a":2}']) {
      const { rows, unreadable } = await readAll(text, json);
      expect(rows).to.deep.equal([]);
      expect(unreadable).to.equal('The file is not one JSON array: it does not begin with [ at byte 1.');
    }
  });

  it('are limited in size; a longer element is skipped', async () => {
    const element = (bytes: number) => `{"a":"${'],{'.repeat(bytes).slice(0, bytes - 8)}"}`;
    const options = { ...json, maxRowBytes: 500 };
    for (const sizes of [[1_000], [7, 300], [100_000]]) {
      const { events, errors } = await readAll(`[${element(500)},${element(50_000)},{}]`, options, sizes);
      expect(events).to.have.length(2);
      expect(errors).to.deep.equal([[2, 'is longer than 500 bytes']]);
    }
  });
});
