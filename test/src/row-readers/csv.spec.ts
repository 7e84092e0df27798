import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

const csv = { format: 'csv' } as const;

const notBy = (found: string, delimiter = 'commas') =>
  `The fields are separated by ${found}, not by ${delimiter}; metadata.delimiter may be a comma, a semicolon or a tab.`;

describe('rows of a CSV file', () => {
  it('get their names from the header row, with any line end; blank lines are not rows', async () => {
    const { rows } = await readAll('\uFEFFa,b c\r\n1,2\n\n \r\n3,\r\n,4', csv);
    expect(rows).to.deep.equal([
      { row: 1, event: { a: '1', 'b c': '2' } },
      { row: 2, event: { a: '3', 'b c': '' } },
      { row: 3, event: { a: '', 'b c': '4' } },
    ]);
  });

  it('contain commas, quotes and line ends within quotes', async () => {
    const { events, errors } = await readAll(
      '"a","b ""c"""\r\n"1,2","x ""y"" z"\r\n"two\r\n\r\nlines, ""q""",""\n"",""""',
      csv,
    );
    expect(errors).to.deep.equal([]);
    expect(events).to.deep.equal([
      { a: '1,2', 'b "c"': 'x "y" z' },
      { a: 'two\r\n\r\nlines, "q"', 'b "c"': '' },
      { a: '', 'b "c"': '"' },
    ]);
  });

  it('have the lines of a quoted field over several lines, also after a stray quote', async () => {
    const lines = ['a,b', '1,2', '', '"stray,2', '3,4', '"two', '', 'lines",5', '"6",7', '8,"x', '9,y"', '10,11'];
    const expected = [
      { row: 1, event: { a: '1', b: '2' } },
      { row: 2, error: 'has a quote in the wrong place, or one that is never closed' },
      { row: 3, event: { a: '3', b: '4' } },
      { row: 4, event: { a: 'two\n\nlines', b: '5' }, lines: { from: 6, to: 8 } },
      { row: 5, event: { a: '6', b: '7' } },
      { row: 6, event: { a: '8', b: 'x\n9,y' }, lines: { from: 10, to: 11 } },
      { row: 7, event: { a: '10', b: '11' } },
    ];
    for (const sizes of [undefined, [1], [7, 11]])
      expect((await readAll(`\uFEFF${lines.join('\n')}`, csv, sizes)).rows).to.deep.equal(expected);
  });

  it('get their names from given columns, or numbered names', async () => {
    expect((await readAll('1,2\n3,4', { ...csv, columns: ['x', 'y'] })).events).to.deep.equal([
      { x: '1', y: '2' },
      { x: '3', y: '4' },
    ]);
    const numbered = await readAll('1,2\n3,4\n5', { ...csv, columns: 'numbered' });
    expect(numbered.events).to.deep.equal([
      { c1: '1', c2: '2' },
      { c1: '3', c2: '4' },
    ]);
    expect(numbered.errors).to.deep.equal([[3, 'has 1 fields instead of 2']]);
  });

  it('report another number of fields, and reading continues', async () => {
    const { events, errors } = await readAll('a,b\n1,2\n3\n4,5,6\n"7","8","9"\n10,11', csv);
    expect(events).to.deep.equal([
      { a: '1', b: '2' },
      { a: '10', b: '11' },
    ]);
    expect(errors).to.deep.equal([
      [2, 'has 1 fields instead of 2'],
      [3, 'has 3 fields instead of 2'],
      [4, 'has 3 fields instead of 2'],
    ]);
  });

  it('are invalid singly after a stray quote, not as a whole file', async () => {
    const stray = 'has a quote in the wrong place, or one that is never closed';
    const inside = 'has a quote in the wrong place';
    const cases: readonly (readonly [string, string])[] = [
      ['"1,2', stray],
      ['5" pipe,2', stray],
      ['1,"2', stray],
      ['1,"2"x', inside],
      ['a "quoted" word,2', inside],
      ['1,"2""', stray],
    ];
    for (const [line, expected] of cases)
      for (const after of ['3,4\n5,6', '"3","4"\n5,6', '3,"4"\n"5",6\n', '3,4\n5,"6"']) {
        const { events, errors } = await readAll(`a,b\n1,2\n${line}\n${after}`, csv, [5, 11]);
        expect(events, line + after).to.deep.equal([
          { a: '1', b: '2' },
          { a: '3', b: '4' },
          { a: '5', b: '6' },
        ]);
        expect(errors).to.deep.equal([[2, expected]]);
      }
  });

  it('are compared with the header before they are joined, however the file arrives', async () => {
    const stray = 'has a quote in the wrong place, or one that is never closed';
    for (const [columns, given] of [
      ['a,b\n', csv],
      ['1,2\n', { ...csv, columns: 'numbered' }],
    ] as const)
      for (const sizes of [undefined, [1], [5, 11]]) {
        // Joined, the two lines in quotes are one field.
        const { rows, errors } = await readAll(`${columns}"1,2\n3,4"\n5,6\n`, given, sizes);
        const first = rows.length - 3;
        expect(errors).to.deep.equal([
          [first + 1, stray],
          [first + 2, stray],
        ]);
      }
  });

  it('are limited in size, also over several lines', async () => {
    const options = { ...csv, maxRowBytes: 500 };
    const long = `"${'x\n'.repeat(300)}",2`;
    for (const sizes of [[1_000], [7, 300]]) {
      const one = await readAll(`a,b\n1,2\n${'y'.repeat(10_000)},2\n3,4\n`, options, sizes);
      expect(one.errors).to.deep.equal([[2, 'is longer than 500 bytes']]);
      expect(one.events).to.have.length(2);
      const many = await readAll(`a,b\n1,2\n${long}\n3,4\n`, options, sizes);
      expect(many.errors[0]).to.deep.equal([2, 'has a quote in the wrong place, or one that is never closed']);
      expect(many.events.at(-1)).to.deep.equal({ a: '3', b: '4' });
      const fits = await readAll(`a,b\n1,2\n"${'x\n'.repeat(248)}",2\n3,4`, options, sizes);
      expect(fits.errors).to.deep.equal([]);
      expect(fits.events).to.have.length(3);
    }
  });

  it('are invalid unless they are UTF-8 without NUL characters', async () => {
    const lines = [Buffer.from('a\né\n'), Buffer.from('é\n', 'latin1'), Buffer.from('x\0\nz\n\0\n')];
    const { events, errors } = await readAll(Buffer.concat(lines), csv);
    expect(events).to.deep.equal([{ a: 'é' }, { a: 'z' }]);
    expect(errors).to.deep.equal([
      [2, 'is not UTF-8; save the file as UTF-8'],
      [3, 'contains a NUL character'],
      [5, 'contains a NUL character'],
    ]);
  });

  it('treat names of prototypes as data', async () => {
    const { events } = await readAll('__proto__,constructor,toString\n1,2,3', csv);
    expect(JSON.stringify(events)).to.equal('[{"__proto__":"1","constructor":"2","toString":"3"}]');
  });

  for (const [what, text, expected] of [
    ['names a column twice', 'a,b,a\n1,2,3', 'The header row has the name "a" twice.'],
    [
      'has names that are longer than a row',
      `${Array.from({ length: 40 }, (_, index) => String(index).padEnd(1_000, 'x')).join(',')}\n1`,
      'The names in the header row are longer than 32768 bytes in total.',
    ],
    ['leaves a column without a name', 'a,,c\n1,2,3', 'Column 2 of the header row has no name.'],
    ['has semicolons', 'a;b;c\n1;2;3', notBy('semicolons')],
    ['has tabs', 'a\tb\n1\t2', notBy('tabs')],
    ['has bars', 'a|b\n1|2', notBy('bars')],
    ['is no CSV', 'a "b",c\n1,2', 'The header row is not CSV.'],
    [
      'has a quote that is never closed',
      'a,"b\n1,2\n',
      'The header row has a quote in the wrong place, or one that is never closed.',
    ],
    ['is no text', Buffer.from([0x61, 0xff, 0x0a, 0x31]), 'The header row is not UTF-8; save the file as UTF-8.'],
    [
      'has too many names',
      `${Array.from({ length: 1_001 }, (_, at) => `c${at}`).join()}\n`,
      'The file has more than 1000 columns.',
    ],
  ] as const)
    it(`are not read when the header row ${what}`, async () => {
      const { rows, unreadable } = await readAll(text, csv);
      expect(rows).to.deep.equal([]);
      expect(unreadable).to.equal(expected);
    });

  it('are not read when the first row of a file without header has another separator', async () => {
    const { unreadable } = await readAll('1;2\n3;4', { ...csv, columns: 'numbered' });
    expect(unreadable).to.equal(notBy('semicolons'));
  });
});

for (const [name, delimiter] of [
  ['semicolons', ';'],
  ['tabs', '\t'],
] as const)
  describe(`rows of a CSV file with ${name}`, () => {
    const options = { ...csv, delimiter };

    it('contain commas without quotes, and the delimiter within quotes', async () => {
      const file = 'a;"b;1"\n1,5;"x;y"\n"two\nlines";2\n'.replaceAll(';', delimiter);
      for (const sizes of [[1], [1_000]]) {
        const { events, errors } = await readAll(file, options, sizes);
        expect(errors).to.deep.equal([]);
        expect(events).to.deep.equal([
          { a: '1,5', [`b${delimiter}1`]: `x${delimiter}y` },
          { a: 'two\nlines', [`b${delimiter}1`]: '2' },
        ]);
      }
    });

    it('report another number of fields, and stray quotes', async () => {
      const { events, errors } = await readAll('a;b\n1;2\n3\n"4;5\n6;7\n'.replaceAll(';', delimiter), options);
      expect(events).to.deep.equal([
        { a: '1', b: '2' },
        { a: '6', b: '7' },
      ]);
      expect(errors).to.deep.equal([
        [2, 'has 1 fields instead of 2'],
        [3, 'has a quote in the wrong place, or one that is never closed'],
      ]);
    });

    it('are not read when the header row has commas', async () => {
      expect((await readAll('a,b\n1,2', options)).unreadable).to.equal(notBy('commas', name));
    });
  });
