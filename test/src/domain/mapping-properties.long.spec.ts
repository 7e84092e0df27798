import { PopEvent } from '@popsvc/contracts/commands';
import { Mapping } from '@popsvc/contracts/mappings';
import { mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import fc from 'fast-check';
import { mappingWith, received, inLondon, surroundings } from './given-mapping.ts';
import { runs } from './runs.ts';

const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((sent) => sent.trim() === sent);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const plays = fc.record({
  eventId: text,
  screenId: text,
  siteId: optional(text),
  campaignId: text,
  creativeId: text,
  startMs: fc.integer({ min: Date.UTC(2000, 0, 1), max: received }),
  durationMs: fc.integer({ min: 1, max: 86_400_000 }),
  startReason: optional(text),
  context: optional(fc.dictionary(fc.string(), fc.jsonValue())),
});

/** The path of a field in a vendor's event: one to three names and indexes. */
const spot = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !name.includes('"')) },
    { weight: 1, arbitrary: fc.nat(3) },
  ),
  { minLength: 0, maxLength: 2 },
);
type Step = string | number;

const pathOf = (steps: readonly Step[]): string =>
  steps.map((step) => (typeof step === 'number' ? `[${step}]` : `["${step}"]`)).join('');

const put = (steps: readonly Step[], value: unknown): unknown =>
  steps.reduceRight((inner, step) => {
    if (typeof step === 'string') return Object.fromEntries([[step, inner]]);
    const list: unknown[] = Array.from({ length: step + 1 }, () => null);
    list[step] = inner;
    return list;
  }, value);

const times = fc.constantFrom('iso', 'unix_ms', 'unix_s', 'yyyy-MM-dd HH:mm:ss.SSS ZZ');
const writtenAs = (kind: string, ms: number): unknown => {
  if (kind === 'unix_ms') return ms;
  if (kind === 'unix_s') return (ms / 1_000).toFixed(3);
  const iso = new Date(ms).toISOString();
  return kind === 'iso' ? iso : `${iso.slice(0, 10)} ${iso.slice(11, 23)} +00:00`;
};

const pairs = fc.constantFrom<readonly string[]>(
  ['playedAt', 'duration'],
  ['playedAt', 'endedAt'],
  ['endedAt', 'duration'],
  ['playedAt', 'endedAt', 'duration'],
);

describe('A mapping', () => {
  it('restores the play from which an event was written', () => {
    const layout = fc.record({ spots: fc.array(spot, { minLength: 10, maxLength: 10 }), times, pair: pairs });
    fc.assert(
      fc.property(plays, layout, fc.constantFrom('ms', 's'), (play, { spots, times: kind, pair }, unit) => {
        const { startMs, durationMs, ...rest } = play;
        const values: Record<string, unknown> = {
          ...rest,
          ...(pair.includes('playedAt') && { playedAt: writtenAs(kind, startMs) }),
          ...(pair.includes('endedAt') && { endedAt: writtenAs(kind, startMs + durationMs) }),
          ...(pair.includes('duration') && { duration: unit === 's' ? (durationMs / 1_000).toFixed(3) : durationMs }),
        };
        const steps = (target: string, index: number): Step[] => [`f-${target}`, ...spots[index]!];
        const targets = Object.keys(values);
        const source = (target: string, index: number) => ({
          path: pathOf(steps(target, index)),
          ...(target.endsWith('At') && { time: kind }),
          ...(target === 'duration' && { unit }),
        });
        const mapping = Mapping.parse({
          vendor: 'acme',
          schema_version: '1',
          fields: Object.fromEntries(targets.map((target, index) => [target, source(target, index)])),
        });
        const event = Object.assign(
          {},
          ...targets.map((target, index) => put(steps(target, index), values[target])),
        ) as object;
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        expect(mapEvent(mapping, event, surroundings(undefined))).to.deep.equal({
          play: { ...given, playedAt: new Date(startMs).toISOString(), durationMs },
        });
      }),
      runs(300),
    );
  });

  const hostile = fc.oneof(
    fc.anything({ maxDepth: 3, withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true }),
    fc.record(
      Object.fromEntries(
        ['id', 'screen', 'campaign', 'asset', 'start', 'length', 'end', 'more', 'off'].map((name) => [
          name,
          fc.oneof(
            fc.jsonValue(),
            fc.anything(),
            fc.constantFrom('2026-09-14T10:00:00', '2026-03-29T01:30:00', 5, '5'),
          ),
        ]),
      ),
    ),
  );

  it('never throws, and produces valid plays', () => {
    const mappings = [
      mappingWith({ endedAt: { path: 'end', offset_path: 'off' }, context: { path: 'more' } }),
      mappingWith({ playedAt: { path: 'start', time: 'unix_s' }, duration: { path: 'length', unit: 's' } }),
      mappingWith({ playedAt: { path: 'start', time: 'dd/MM/yyyy HH:mm' } }),
    ];
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom(...mappings),
        fc.constantFrom('Europe/London', undefined, 'No/Zone'),
        (event, mapping, zone) => {
          const outcome = mapEvent(mapping, event, surroundings(zone));
          if ('play' in outcome) expect(PopEvent.safeParse(outcome.play).success).to.equal(true);
          else expect(outcome.unfit.reason).to.have.length.within(5, 600);
        },
      ),
      runs(1_000),
    );
  });

  it('reads no property of a prototype', () => {
    for (const path of [
      'constructor.name',
      '__proto__',
      'toString',
      'screen.length',
      'list.length',
      'hasOwnProperty',
      'list["0"]',
    ]) {
      const outcome = mapEvent(mappingWith({ screenId: { path } }), { screen: 'abc', list: ['x'] }, inLondon);
      expect(outcome, path).to.have.nested.property('unfit.reason').that.includes(`screenId (${path}) is missing`);
    }
    const own = JSON.parse('{"__proto__":{"x":"own"}}') as object;
    const outcome = mapEvent(mappingWith({ eventId: { path: '__proto__.x' } }), own, inLondon);
    expect(outcome).to.have.property('eventId', 'own');
  });

  it('accepts deep and huge events', () => {
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 100_000; depth++) deep = { a: deep };
    const event = { screen: deep, campaign: 'x'.repeat(5_000_000), asset: Array.from({ length: 1_000_000 }, () => 0) };
    const outcome = mapEvent(mappingWith(), event, inLondon);
    expect(outcome).to.have.nested.property('unfit.reason').with.length.below(600);
  });
});
