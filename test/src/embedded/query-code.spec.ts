import { extractCode } from '@popsvc/embedded/clickhouse';
import { expect } from 'chai';
import fc from 'fast-check';
import { queryClickHouse, sharedClickHouse } from '../support/engines.ts';

const codeOf = (query: string) => {
  const result = extractCode(query);
  return 'code' in result ? result.code : result;
};

describe('the code of a query', () => {
  it('lacks the contents of literals and comments', () => {
    for (const [query, code] of [
      [`SELECT 'file', 'it''s a \\'file\\'' FROM t`, `SELECT '', '' FROM t`],
      ['SELECT 1 -- file\nFROM t', 'SELECT 1  \nFROM t'],
      ["SELECT /* 'file /* nested */ ' */ 1", 'SELECT   1'],
      [`SELECT "a ""file""", \`file\``, `SELECT "a ""file""", \`file\``],
      ["SELECT '-- no comment', 1 - -1", "SELECT '', 1 - -1"],
      ["SELECT '日本'", "SELECT ''"],
      ['SELECT 1 --', 'SELECT 1  '],
    ] as const)
      expect(codeOf(query), query).to.equal(code);
  });

  it('is not available if a character could begin another form of literal or comment', () => {
    for (const [query, problem] of [
      ["SELECT 'file", 'has a quote that is not closed at position 8'],
      ['SELECT "fi\\x6ce"', 'has a backslash in a quoted name at position 8'],
      ['SELECT $$file$$', 'has the character "$" outside of quotes at position 8'],
      ['SELECT ‘file’', 'has the character "‘" outside of quotes at position 8'],
      ['SELECT 1 # file', 'has "#", which begins a comment; use -- at position 10'],
      ['SELECT 1 // file', 'has "//", which begins a comment; use -- at position 10'],
      ['SELECT /* /* */ 1', 'has a comment that is not closed at position 8'],
      ["SELECT '\0'", 'contains a NUL character'],
    ] as const)
      expect(codeOf(query), query).to.deep.equal({ problem });
  });

  it('contains all names that ClickHouse reads in a query', async () => {
    const { url, writer } = await sharedClickHouse();
    const pieces = [
      "'",
      '"',
      '`',
      '\\',
      '--',
      '/*',
      '*/',
      '\n',
      ' ',
      ',',
      "''",
      '""',
      'x',
      'na',
      'nb',
      'nc',
      '(',
      ')',
      '+',
      '-',
      '/',
      '.1',
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));
    const queries = fc
      .sample(soup, 60_000)
      .map((text) => `SELECT na, ${text}`)
      .filter((query) => 'code' in extractCode(query));
    let parsed = 0;
    for (let from = 0; from < queries.length; from += 2_000) {
      const batch = queries.slice(from, from + 2_000);
      const literals = batch.map((query) => `'${query.replace(/[\\']/g, '\\$&')}'`).join(',');
      const { ok, text } = await queryClickHouse(
        url,
        writer,
        `SELECT formatQuerySingleLineOrNull(query) FROM (SELECT arrayJoin([${literals}]) AS query) FORMAT JSONCompactEachRow`,
      );
      expect(ok, text.slice(0, 200)).to.equal(true);
      for (const [index, line] of text.split('\n').entries()) {
        const [formatted] = JSON.parse(line) as [string | null];
        if (formatted === null) continue;
        parsed += 1;
        // The formatted query has no comments, and its literals have one form.
        const names = new Set(formatted.replace(/'(?:[^'\\]|\\.)*'/gs, '').match(/n[abc]/g));
        const code = codeOf(batch[index]!) as string;
        for (const name of names) expect(code, `${JSON.stringify(batch[index])} → ${formatted}`).to.include(name);
      }
    }
    expect(parsed).to.be.greaterThan(1_000);
  });
});
