import { IANAZone } from 'luxon';

/** How far a clock is ahead of UTC at an instant, in ms; undefined when that is not known. */
export type OffsetAt = (instantMs: number) => number | undefined;

const hourMs = 3_600_000;
const minuteMs = 60_000;
const mostHours = 20_000;

const offsetIn = (name: string): OffsetAt => {
  const zone = IANAZone.create(name);
  const exact = (instantMs: number): number => zone.offset(instantMs) * minuteMs;
  const hours = new Map<number, number>();
  /** The offset all through an hour of UTC, NaN where it changes on the way: asking Intl costs 5 µs, and plays crowd together. */
  const through = (hour: number): number => {
    const known = hours.get(hour);
    if (known !== undefined) return known;
    const first = exact(hour * hourMs);
    const offset = first === exact((hour + 1) * hourMs) ? first : Number.NaN;
    if (hours.size >= mostHours) hours.clear();
    hours.set(hour, offset);
    return offset;
  };
  return (instantMs) => {
    const offset = through(Math.floor(instantMs / hourMs));
    const found = Number.isNaN(offset) ? exact(instantMs) : offset;
    return Number.isNaN(found) ? undefined : found;
  };
};

const zones = new Map<string, OffsetAt>();

/** Offsets of an IANA zone; of a zone nobody knows, none. */
export const zoneOffset = (name: string): OffsetAt => {
  const known = zones.get(name) ?? offsetIn(name);
  zones.set(name, known);
  return known;
};
