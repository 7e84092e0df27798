import { expect } from 'chai';
import fc from 'fast-check';
import { readAll } from './read-rows.fixture.ts';

const long = process.env['POPSVC_LONG'] === '1';
const runs = long ? { numRuns: 20_000 } : { numRuns: 300, seed: 5_030 };

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const lineEnd = fc.constantFrom('\n', '\r\n');
const blank = fc.constantFrom('', '', '', '\n', '  \r\n');
const event = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
/** A cell of a spreadsheet, often with characters that CSV has to quote. */
const field = fc.string({
  unit: fc.constantFrom('a', 'é', '😀', ',', '"', '\n', '\r\n', ' ', ';', '\\'),
  maxLength: 6,
});

const masked = (text: string, always: boolean) =>
  always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

describe('rows of random files in random chunks', () => {
  it('are the same events for NDJSON', () =>
    fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1 }), lineEnd, blank, sizes, async (events, end, gap, chunks) => {
        const text = events.map((each) => JSON.stringify(each) + end + gap).join('');
        expect((await readAll(text, { format: 'ndjson' }, chunks)).events).to.deep.equal(events);
      }),
      runs,
    ));

  it('are the same events for JSON', () =>
    fc.assert(
      fc.asyncProperty(fc.array(event), fc.constantFrom(undefined, 1, '\t'), sizes, async (events, indent, chunks) => {
        const { events: read, unreadable } = await readAll(
          JSON.stringify(events, null, indent),
          { format: 'json' },
          chunks,
        );
        expect(read).to.deep.equal(events);
        expect(unreadable).to.equal(undefined);
      }),
      runs,
    ));

  it('are the same fields for CSV', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(field, { minLength: 3, maxLength: 3 }), { minLength: 1 }),
        lineEnd,
        fc.boolean(),
        sizes,
        async (rows, end, always, chunks) => {
          const lines = [['x', '__proto__', 'z'], ...rows].map((row) => row.map((text) => masked(text, always)).join());
          const { events, errors } = await readAll(lines.join(end) + end, { format: 'csv' }, chunks);
          expect(errors).to.deep.equal([]);
          expect(events.map((each) => Object.values(each as Record<string, string>))).to.deep.equal(rows);
        },
      ),
      runs,
    ));

  it('do not depend on the chunks for random bytes, and the only error is UnreadableFile', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('"', ',', '\n', '\r\n', 'a', '{', '}', '[', ']', '\\', ':', '1', 'é', '\0', ' '),
        }),
        fc.constantFrom('ndjson' as const, 'json' as const, 'csv' as const),
        sizes,
        async (text, format, chunks) => {
          const file = format === 'csv' ? `a,b\n${text}` : `[${text}`;
          const whole = await readAll(file, { format, maxRowBytes: 12 });
          expect(await readAll(file, { format, maxRowBytes: 12 }, chunks)).to.deep.equal(whole);
        },
      ),
      { ...runs, numRuns: runs.numRuns * 3 },
    ));
});
