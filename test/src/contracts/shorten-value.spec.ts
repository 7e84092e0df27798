import { shortenValue } from '@popsvc/contracts/errors';
import { expect } from 'chai';

describe('shortenValue', () => {
  for (const [value, text] of [
    ['noon', '"noon"'],
    ['two\nlines "quoted"', '"two\\nlines \\"quoted\\""'],
    [12.5, '12.5'],
    [false, 'false'],
    [null, 'null'],
    [[1, 2], 'a list'],
    [{ a: 1 }, 'an object'],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(59)}…"`],
  ] as const)
    it(`formats ${JSON.stringify(value).slice(0, 30)}`, () => {
      expect(shortenValue(value)).to.equal(text);
    });

  it('cuts no surrogate pair', () => {
    expect(shortenValue(`${'x'.repeat(58)}😀😀`)).to.equal(`"${'x'.repeat(58)}…"`);
  });
});
