import { Thresholds } from '@popsvc/contracts/metrics';
import { POPULATIONS } from '@popsvc/contracts/vocabulary';
import type { Detection } from '../oracle/audience.ts';
import type { Span } from '@popsvc/domain/spans';
import fc from 'fast-check';

/** Small times, so that edges coincide often. */
const longest = 600;

const spanWithin = ({ from, to }: Span): fc.Arbitrary<Span> =>
  fc
    .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
    .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) }));

export const spans = fc.array(spanWithin({ from: 0, to: longest }), { maxLength: 8 });

export interface Named extends Detection {
  readonly id: number;
}

const detection: fc.Arbitrary<Detection> = spanWithin({ from: 0, to: longest }).chain((span) =>
  fc.record({
    from: fc.constant(span.from),
    to: fc.constant(span.to),
    watches: fc.array(spanWithin(span), { maxLength: 6 }),
    population: fc.constantFrom(...POPULATIONS),
  }),
);

export const detections: fc.Arbitrary<Named[]> = fc
  .array(detection, { maxLength: 6 })
  .map((all) => all.map((one, id) => ({ ...one, id })));

export const play = fc.record({
  startMs: fc.integer({ min: 0, max: longest }),
  durationMs: fc.integer({ min: 1, max: longest }),
});

export const thresholds: fc.Arbitrary<Thresholds> = fc
  .record({
    min_presence_ms: fc.integer({ min: 1, max: 60 }),
    merge_gap_ms: fc.integer({ min: 0, max: 60 }),
    impression_ms: fc.integer({ min: 0, max: 200 }),
    glance: fc.integer({ min: 1, max: 200 }),
    view: fc.integer({ min: 1, max: 200 }),
    view_through_slack_ms: fc.integer({ min: 0, max: 60 }),
    permille: fc.integer({ min: 0, max: 1_000 }),
  })
  .map(({ glance, view, permille, ...rest }) =>
    Thresholds.parse({
      ...rest,
      glance_ms: Math.min(glance, view),
      view_ms: Math.max(glance, view),
      view_through_share: permille / 1_000,
    }),
  );
