import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

const ndjson = { format: 'ndjson' } as const;

describe('rows of an NDJSON file', () => {
  it('are its lines, numbered from 1, with any line end; blank lines are not rows', async () => {
    const { rows, unreadable } = await readAll('\uFEFF{"a":1}\r\n\n  \t\n{"a":2}\n\r\n{"a":3}', ndjson);
    expect(rows).to.deep.equal([
      { row: 1, event: { a: 1 } },
      { row: 2, event: { a: 2 } },
      { row: 3, event: { a: 3 } },
    ]);
    expect(unreadable).to.equal(undefined);
  });

  it('report invalid lines, and reading continues', async () => {
    const lines = ['{"a":1}', '{"a":', '{"a" 2}', '[1]', 'null', '"a"', '1,2', '{"a":1}{"b":2}', 'x,y', '{"a":9}'];
    const { events, errors } = await readAll(lines.join('\n'), ndjson);
    expect(events).to.deep.equal([{ a: 1 }, { a: 9 }]);
    expect(errors).to.deep.equal([
      [2, 'is not JSON: it ends too early'],
      [3, 'is not JSON at character 6'],
      [4, 'is not an object'],
      [5, 'is not an object'],
      [6, 'is not an object'],
      [7, 'is not JSON at character 2'],
      [8, 'is not JSON at character 8'],
      [9, 'is not JSON'],
    ]);
  });

  it('are invalid with a number that would lose digits', async () => {
    const kept = [
      '9007199254740992',
      '-12345678901234567000',
      '1e20',
      '0.1000000000000000055',
      '"12345678901234567891"',
    ];
    const lost = ['12345678901234567891', '[{"b":-9007199254740993}]', '1e400', '"\\"",9007199254740993'];
    const lines = kept.map((value) => `{"a":${value}}`);
    const { events, errors } = await readAll([...lines, ...lost.map((value) => `{"a":[${value}]}`)].join('\n'), ndjson);
    expect(events).to.deep.equal(lines.map((line) => JSON.parse(line) as unknown));
    const error = 'contains a number with too many digits; send it as a string';
    expect(errors).to.deep.equal([6, 7, 8, 9].map((row) => [row, error]));
  });

  it('are invalid unless they are UTF-8 without NUL, lone surrogates and deep nesting', async () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const lines = [
      Buffer.from('{"a":"é"}'),
      Buffer.from('{"a":"é"}', 'latin1'),
      Buffer.from('{"a":"\0"}'),
      Buffer.from('{"a":"\\u0000"}'),
      Buffer.from('{"a":"\\ud83d\\ude00"}'),
      Buffer.from('{"a":[{"b":"\\ud83d"}]}'),
      Buffer.from('{"\\udc00":1}'),
      Buffer.from(deep(32)),
      Buffer.from(deep(33)),
      Buffer.from(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    ];
    const { events, errors } = await readAll(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])), ndjson);
    expect(events.slice(0, 3)).to.deep.equal([{ a: 'é' }, { a: '\0' }, { a: '😀' }]);
    expect(errors).to.deep.equal([
      [2, 'is not UTF-8; save the file as UTF-8'],
      [3, 'is not JSON at character 7'],
      [6, 'contains a lone surrogate'],
      [7, 'contains a lone surrogate'],
      [9, 'is nested deeper than 32 levels'],
      [10, 'is nested deeper than 32 levels'],
    ]);
  });

  it('keep numbers and names of prototypes as JSON.parse reads them', async () => {
    const line = '{"n":[-0,0.1,1e20,1E-7],"__proto__":{"x":1},"constructor":{"prototype":1},"a":1,"a":2}';
    const { events } = await readAll(line, ndjson);
    expect(events).to.deep.equal([JSON.parse(line)]);
    expect(Object.hasOwn(events[0] as object, '__proto__')).to.equal(true);
    expect(JSON.stringify(events[0])).to.equal(JSON.stringify(JSON.parse(line)));
    expect(({} as { x?: number }).x).to.equal(undefined);
  });

  it('are limited in size', async () => {
    const line = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    for (const end of ['\n', '\r\n', ''])
      for (const sizes of [[1_000], [7, 300], [100_000]]) {
        const options = { ...ndjson, maxRowBytes: 500 };
        const { events, errors } = await readAll(`${line(500)}\n${line(501)}\n{}\n${line(501)}${end}`, options, sizes);
        expect(events).to.have.length(2);
        expect(errors).to.deep.equal([
          [2, 'is longer than 500 bytes'],
          [4, 'is longer than 500 bytes'],
        ]);
      }
  });
});
