import { instantMs, instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import fc from 'fast-check';

const shape = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/** A slow reference implementation with a regular expression and Date. */
const parseSlowly = (text: string): number | undefined => {
  const found = shape.exec(text);
  if (!found) return undefined;
  const part = (index: number) => Number(found[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day || day === 0) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [hours, minutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (hours > 18 || minutes > 59) return undefined;
  const millis = Math.trunc(Number(`0.${found[7] ?? '0'}`.slice(0, 5)) * 1_000 + 0.5);
  local.setUTCHours(hour, minute, second, millis);
  return local.getTime() - (hours * 60 + minutes) * (found[8] === '-' ? -60_000 : 60_000);
};

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
const written = fc
  .tuple(
    fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, '0')),
    two(13),
    two(32),
    fc.constantFrom('T', 't', ' '),
    two(24),
    two(60),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(two(60), fc.constantFrom('', '.', ',', '.1', ',12', '.123', '.1239', '.123456789', '.1234567890'))
        .map(([s, f]) => `:${s}${f}`),
    ),
    fc.oneof(
      fc.constantFrom('Z', 'z', '', 'ZZ', '+1', '-0000', '+00:60'),
      fc
        .tuple(fc.constantFrom('+', '-', ' '), two(19), fc.constantFrom('', ':'), two(60))
        .map((parts) => parts.join('')),
    ),
  )
  .map(
    ([year, month, day, t, hour, minute, rest, zone]) => `${year}-${month}-${day}${t}${hour}:${minute}${rest}${zone}`,
  );

describe('instantMs and instantOf', () => {
  it('agree with the reference implementation for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          written,
          fc.date({ noInvalidDate: true }).map((date) => date.toJSON()),
          fc.string(),
        ),
        (text) => {
          expect(instantMs(text), text).to.equal(parseSlowly(text));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('agree with the reference implementation if a character is changed or missing', () => {
    fc.assert(
      fc.property(written, fc.nat(30), fc.constantFrom('', '0', ':', '-', 'Z', 'é', '９'), (text, at, other) => {
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        expect(instantMs(changed), changed).to.equal(parseSlowly(changed));
      }),
      { numRuns: 5_000 },
    );
  });

  it('parse what they format', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(0, 0, 1) - 6e13, max: Date.UTC(9_999, 11, 31) }), (ms) => {
        const text = instantOf(ms);
        if (text.length === 24) expect(instantMs(text)).to.equal(ms);
      }),
    );
  });
});
