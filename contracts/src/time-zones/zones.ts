import moment from 'moment-timezone';

// cspell:ignore untils

/*
 * The service takes named time zones only from this data, because Node.js and ClickHouse have other versions of it
 * (docs/decisions/0034-one-source-of-time-zones.md).
 */

/** Such as `2026f`. */
export const timeZoneVersion: string = moment.tz.dataVersion;

/** Includes names that are links to other zones. */
export const zoneNames: readonly string[] = moment.tz.names();

const known: ReadonlySet<string> = new Set(zoneNames);

/** Names are case-sensitive. */
export const isKnownZone = (name: string): boolean => known.has(name);

/** Returns by how many ms local time is ahead of UTC; undefined if unknown. */
export type OffsetAt = (instantMs: number) => number | undefined;

/** Local mean times have fractions of a minute, so the result is rounded to whole seconds. */
const offsetMsOf = (minutesBehind: number): number => Math.round(-minutesBehind * 60) * 1_000 + 0;

const createOffset = (name: string): OffsetAt => {
  const ranges = listOffsetRanges(name);
  let last = ranges[0];
  return (instantMs) => {
    if (!last || instantMs < last.fromMs || instantMs >= last.toMs)
      last = ranges.find(({ fromMs, toMs }) => instantMs >= fromMs && instantMs < toMs);
    return last && Number.isFinite(instantMs) ? last.offsetMs : undefined;
  };
};

const offsets = new Map<string, OffsetAt>();
/** A comparison of names costs less than a look-up in `offsets`, which hashes the name. */
let last: { readonly name: string; readonly offsetAt: OffsetAt } | undefined;

/** For an unknown zone, the result always returns undefined. */
export const zoneOffset = (name: string): OffsetAt => {
  if (last?.name === name) return last.offsetAt;
  const offsetAt = offsets.get(name) ?? createOffset(name);
  if (isKnownZone(name)) {
    offsets.set(name, offsetAt);
    last = { name, offsetAt };
  }
  return offsetAt;
};

/**
 * Returns the ms since 1970 at which a clock in UTC shows the local time. Throws a RangeError for an unknown zone or an instant that is
 * not finite.
 */
export const toLocalMs = (instantMs: number, zone: string): number => {
  const offset = zoneOffset(zone)(instantMs);
  if (offset === undefined)
    throw new RangeError(
      `cannot convert ${instantMs} to local time: unknown time zone ${JSON.stringify(zone)} or invalid instant`,
    );
  return instantMs + offset;
};

/** `toMs` is not included. */
export interface OffsetRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
}

/** In order, from -Infinity to Infinity. Empty for an unknown zone. */
export const listOffsetRanges = (name: string): readonly OffsetRange[] => {
  const zone = isKnownZone(name) ? moment.tz.zone(name) : null;
  const ranges: OffsetRange[] = [];
  let fromMs = -Infinity;
  for (const [index, minutesBehind] of (zone?.offsets ?? []).entries()) {
    const offsetMs = offsetMsOf(minutesBehind);
    const toMs = zone!.untils[index] ?? Infinity;
    const last = ranges.at(-1);
    // The data also lists changes of only the abbreviation of a zone.
    if (last?.offsetMs === offsetMs) ranges[ranges.length - 1] = { ...last, toMs };
    else ranges.push({ fromMs, toMs, offsetMs });
    fromMs = toMs;
  }
  return ranges;
};
