import { findJsonError } from '@popsvc/http-kit/server';
import { expect } from 'chai';
import fc from 'fast-check';

const isValid = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('findJsonError', () => {
  for (const [text, message] of [
    ['{"a": }', 'unexpected "}" at line 1, column 7'],
    ['{"a": 1,}', 'unexpected "}" at line 1, column 9'],
    ['[1,\n 2,\n]', 'unexpected "]" at line 3, column 1'],
    ['[1 2]', 'unexpected "2" at line 1, column 4'],
    ["{'a': 1}", 'unexpected "\'" at line 1, column 2'],
    ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
    ['[01]', 'unexpected "1" at line 1, column 3'],
    ['[NaN]', 'unexpected "N" at line 1, column 2'],
    ['["a\nb"]', 'unexpected "\\n" at line 1, column 4'],
    ['["\\x"]', 'unexpected "\\\\" at line 1, column 3'],
    ['[1] 🙂', 'unexpected "🙂" at line 1, column 5'],
    ['{"a": [1, 2', 'it ends too early at line 1, column 12'],
    ['"abc', 'it ends too early at line 1, column 5'],
    ['', 'it ends too early at line 1, column 1'],
  ] as const)
    it(`finds the place in ${JSON.stringify(text)}`, () => {
      expect(findJsonError(text)?.message).to.equal(message);
    });

  it('shows the text around the place on one line', () => {
    expect(findJsonError('{"a": }')?.excerpt).to.equal('`{"a": }`');
    const long = `{"before": "${'x'.repeat(50)}",\n  oops: 1, "after": "${'y'.repeat(50)}"}`;
    expect(findJsonError(long)?.excerpt).to.equal('`…xxxxxxxxxxxxxxx", oops: 1, "after": "y…`');
  });

  it('agrees with JSON.parse on valid JSON and on JSON with one changed character', () => {
    const character = fc.constantFrom(...Array.from('{}[]",:\\ \n\t019.-+e E n t f u\u0001ax'));
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), character, fc.boolean(), (value, seed, inserted, isIndented) => {
        const json = JSON.stringify(value, undefined, isIndented ? 2 : 0);
        expect(findJsonError(json)).to.equal(undefined);
        const at = seed % (json.length + 1);
        const changed = json.slice(0, at) + inserted + json.slice(at + 1);
        expect(findJsonError(changed) === undefined, changed).to.equal(isValid(changed));
      }),
      { numRuns: 2_000, seed: 2026 },
    );
  });
});
