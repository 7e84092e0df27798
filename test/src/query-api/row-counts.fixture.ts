import fc from 'fast-check';

/** A row: its hour after the first midnight, and its number within the hour. */
export interface Key {
  readonly hour: number;
  readonly number: number;
  readonly site: number;
}

const key = fc.record({
  hour: fc.nat(71),
  number: fc.nat(5),
  site: fc.constantFrom(0, 11, 12),
});
/** A step of a projection or of a reader. */
export const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      add: fc.array(key, { maxLength: 12 }),
      drop: fc.array(fc.nat(40), { maxLength: 6 }),
      isFinished: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('count' as const),
      by: fc.nat(1),
      // Mostly whole days, whose counts are cached for every window.
      from: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 24) }, fc.nat(60)),
      hours: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(48, 72) }, fc.integer({ min: 1, max: 72 })),
      siteIds: fc.constantFrom([], [], [11], [12, 11]),
    }),
  },
);
