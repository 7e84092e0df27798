import moment from 'moment-timezone';

// cspell:ignore untils

/*
 * The one source of time zones of the service: the data of moment-timezone. The rules that Node.js and ClickHouse contain are not
 * used, because each has another version, and neither can be updated alone (docs/decisions/0034-one-source-of-time-zones.md).
 */

/** Version of the time zone data, such as `2026f`. */
export const timeZoneVersion: string = moment.tz.dataVersion;

/** Names of all time zones, including names that are links to other zones. */
export const zoneNames: readonly string[] = moment.tz.names();

const known: ReadonlySet<string> = new Set(zoneNames);

/** Returns whether the data contains the zone. Names are case-sensitive, as IANA has them. */
export const isKnownZone = (name: string): boolean => known.has(name);

/** Returns the offset of a clock from UTC at a given time, in ms; undefined if unknown. */
export type OffsetAt = (instantMs: number) => number | undefined;

/** Converts minutes behind UTC, with fractions for local mean times, to ms ahead of UTC, rounded to whole seconds. */
const offsetMsOf = (minutesBehind: number): number => Math.round(-minutesBehind * 60) * 1_000 + 0;

const createOffset = (name: string): OffsetAt => {
  const ranges = listOffsetRanges(name);
  let last = ranges[0];
  return (instantMs) => {
    // Look-ups are usually of times close to each other.
    if (!last || instantMs < last.fromMs || instantMs >= last.toMs)
      last = ranges.find(({ fromMs, toMs }) => instantMs >= fromMs && instantMs < toMs);
    return last && Number.isFinite(instantMs) ? last.offsetMs : undefined;
  };
};

const offsets = new Map<string, OffsetAt>();
/** The zone of the last look-up: comparing names costs less than hashing. */
let last: { readonly name: string; readonly offsetAt: OffsetAt } | undefined;

/** Returns the offset function of a time zone. For an unknown zone, that function always returns undefined. */
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
 * Converts an instant to the local time of a zone: the ms since 1970 of a clock in UTC that shows the same time. Throws a
 * RangeError if the zone is unknown or the instant is not finite.
 */
export const toLocalMs = (instantMs: number, zone: string): number => {
  const offset = zoneOffset(zone)(instantMs);
  if (offset === undefined)
    throw new RangeError(
      `cannot convert ${instantMs} to local time: unknown time zone ${JSON.stringify(zone)} or invalid instant`,
    );
  return instantMs + offset;
};

/** A period with one offset: from `fromMs` up to, but not including, `toMs`. */
export interface OffsetRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
}

/**
 * Lists the periods of a zone in order. The first begins at -Infinity, and the last ends at Infinity. Empty for an unknown zone.
 */
export const listOffsetRanges = (name: string): readonly OffsetRange[] => {
  const zone = isKnownZone(name) ? moment.tz.zone(name) : null;
  const ranges: OffsetRange[] = [];
  let fromMs = -Infinity;
  for (const [index, minutesBehind] of (zone?.offsets ?? []).entries()) {
    const offsetMs = offsetMsOf(minutesBehind);
    const toMs = zone!.untils[index] ?? Infinity;
    const last = ranges.at(-1);
    // Some changes are only of the zone's abbreviation.
    if (last?.offsetMs === offsetMs) ranges[ranges.length - 1] = { ...last, toMs };
    else ranges.push({ fromMs, toMs, offsetMs });
    fromMs = toMs;
  }
  return ranges;
};
