import { createHash } from 'node:crypto';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { unfit } from '../domain/given-mapping.ts';

const starts = [
  '2026-09-14T10:00:00.000Z',
  '2026-09-14T10:00:00+05:30',
  '2026-09-14 10:00:00',
  '2026-03-29T01:30:00',
  '2026-10-25T01:30:00',
  '2026-09-14',
  '14/09/2026 10:00',
  '1900-01-01T00:00:00Z',
  '2199-01-01T00:00:00Z',
  1_789_380_000_000,
  '1789380000',
  '',
  null,
  {},
];
const lengths = [10_000, '10000', '10.5', '10,5', '00:00:10', 'PT10S', -1, 0, 0.4, 86_400_001, 1e300, '', null, []];
const ids = ['p-1', ' p-1 ', 7, 1.5, true, '', '\u0000', 'x'.repeat(5_000), null, {}];

const outcomes = [
  ...[undefined, 'iso', 'unix_ms', 'unix_s', 'dd/MM/yyyy HH:mm'].flatMap((time) =>
    starts.flatMap((start) =>
      ['Europe/London', undefined].map((zone) => {
        const playedAt = { path: 'start', ...(time !== undefined && { time }) };
        return unfit({ mapping: { playedAt }, event: { start }, zone });
      }),
    ),
  ),
  ...[undefined, 'ms', 's'].flatMap((unit) =>
    lengths.map((length) =>
      unfit({ mapping: { duration: { path: 'length', ...(unit !== undefined && { unit }) } }, event: { length } }),
    ),
  ),
  ...ids.flatMap((id) => [unfit({ event: { id } }), unfit({ event: { screen: id } }), unfit({ event: { asset: id } })]),
];

/** The hash of the outcomes for each version of coffee. A change of an outcome needs a new version, and a line here. */
const knownHashes: Readonly<Record<number, string>> = {
  1: 'b4ab39609fa6b824',
};

describe('the outcomes of mappings', () => {
  it('change only together with the version of coffee, which triggers a replay', () => {
    const { version } = allProjections.find(({ name }) => name === 'coffee')!;
    const comparable = outcomes.map((outcome) => ('reason' in outcome ? { ...outcome, reason: undefined } : outcome));
    const hash = createHash('sha256').update(JSON.stringify(comparable)).digest('hex').slice(0, 16);
    expect(hash, `coffee version ${version}`).to.equal(knownHashes[version]);
  });
});
