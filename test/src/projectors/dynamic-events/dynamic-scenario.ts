import fc from 'fast-check';

/** Events of vendors, operators and the registry for one network, in the order of the log. */
export type DynamicStep =
  | { readonly kind: 'play'; readonly play: Sent }
  | { readonly kind: 'send'; readonly events: readonly Sent[] }
  | { readonly kind: 'map'; readonly field: LengthField }
  | { readonly kind: 'device'; readonly screen: string; readonly zone: string };

export type LengthField = 'seconds' | 'length';

export interface Sent {
  readonly id: string;
  readonly screen: string;
  /** Wall-clock or UTC milliseconds, as `isLocal` says; canonical plays are always in UTC. */
  readonly startMs: number;
  readonly isLocal: boolean;
  /** The field that holds the length of the play, and the length; text is not one. */
  readonly field: LengthField;
  readonly seconds: number | string;
  readonly receivedMs: number;
}

/** Zones without daylight saving, by their offset in minutes: the model needs no calendar. */
export const zoneOffsets: Readonly<Record<string, number>> = { UTC: 0, 'Asia/Tokyo': 540, 'Asia/Kathmandu': 345 };
const screens = ['s1', 's2'];

/** Around the end of a month; the plays are some minutes, weeks or a moment to come away. */
const receivedMs = fc
  .constantFrom('2026-08-31T22:10:00Z', '2026-08-31T23:50:00Z', '2026-09-01T00:20:00Z')
  .map(Date.parse);
const startMs = fc
  .tuple(
    fc.constantFrom('2026-08-31T22:00:00Z', '2026-08-31T22:00:00Z', '2026-08-01T10:00:00Z', '2026-09-01T02:00:00Z'),
    fc.nat(1),
  )
  .map(([base, minutes]) => Date.parse(base) + minutes * 60_000);
const anything = fc.record({
  id: fc.constantFrom('p1', 'p2'),
  screen: fc.constantFrom(...screens),
  startMs,
  isLocal: fc.boolean(),
  field: fc.constantFrom<LengthField>('seconds', 'length'),
  seconds: fc.constantFrom(10, 10, 10, 10, 20, 'long'),
  receivedMs,
});
/** Duplicates would be rare without. */
const theSame = fc.record({
  id: fc.constant('p1'),
  screen: fc.constant('s1'),
  startMs: fc.constant(Date.parse('2026-08-31T22:00:00Z')),
  isLocal: fc.constant(false),
  field: fc.constantFrom<LengthField>('seconds', 'length'),
  seconds: fc.constant(10),
  receivedMs,
});
const sent: fc.Arbitrary<Sent> = fc.oneof({ weight: 3, arbitrary: anything }, { weight: 2, arbitrary: theSame });

const step = fc.oneof(
  { weight: 3, arbitrary: sent.map((play): DynamicStep => ({ kind: 'play', play: { ...play, seconds: 10 } })) },
  {
    weight: 6,
    arbitrary: fc.array(sent, { minLength: 1, maxLength: 3 }).map((events): DynamicStep => ({ kind: 'send', events })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<LengthField>('seconds', 'length').map((field): DynamicStep => ({ kind: 'map', field })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...screens), fc.constantFrom(...Object.keys(zoneOffsets)))
      .map(([screen, zone]): DynamicStep => ({ kind: 'device', screen, zone })),
  },
);

export const dynamicSteps: fc.Arbitrary<DynamicStep[]> = fc.array(step, { minLength: 4, maxLength: 16 });
