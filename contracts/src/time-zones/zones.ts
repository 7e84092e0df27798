import moment from 'moment-timezone';

// cspell:ignore untils

/*
 * All code of the service takes time zones from here: the data of moment-timezone. Node.js and ClickHouse have time zone data of
 * their own, but in other versions, which change only with Node.js or ClickHouse itself
 * (docs/decisions/0034-one-source-of-time-zones.md).
 */

/** Version of the time zone data, such as `2026f`. */
export const timeZoneVersion: string = moment.tz.dataVersion;

/** Names of all time zones, including names that are links to other zones. */
export const zoneNames: readonly string[] = moment.tz.names();

const known: ReadonlySet<string> = new Set(zoneNames);

/** Returns whether the data contains the zone. Names are case-sensitive, as IANA has them. */
export const isKnownZone = (name: string): boolean => known.has(name);

/** Returns by how many ms local time is ahead of UTC at an instant; undefined if unknown. */
export type OffsetAt = (instantMs: number) => number | undefined;

/** Converts minutes behind UTC to ms ahead of UTC, rounded to whole seconds. Local mean times have fractions of a minute. */
const offsetMsOf = (minutesBehind: number): number => Math.round(-minutesBehind * 60) * 1_000 + 0;

const createOffset = (name: string): OffsetAt => {
  const ranges = listOffsetRanges(name);
  let last = ranges[0];
  return (instantMs) => {
    // Most look-ups are of a time close to the previous one, so the last range often fits.
    if (!last || instantMs < last.fromMs || instantMs >= last.toMs)
      last = ranges.find(({ fromMs, toMs }) => instantMs >= fromMs && instantMs < toMs);
    return last && Number.isFinite(instantMs) ? last.offsetMs : undefined;
  };
};

const offsets = new Map<string, OffsetAt>();
/** The zone of the last look-up. To compare its name costs less than a look-up in `offsets`, which hashes the name. */
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
 * Converts an instant to local time: the ms since 1970 at which a clock in UTC shows the local time of the zone. Throws a
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

/** Lists the periods of a zone in order: the first begins at -Infinity, and the last ends at Infinity. Empty for an unknown zone. */
export const listOffsetRanges = (name: string): readonly OffsetRange[] => {
  const zone = isKnownZone(name) ? moment.tz.zone(name) : null;
  const ranges: OffsetRange[] = [];
  let fromMs = -Infinity;
  for (const [index, minutesBehind] of (zone?.offsets ?? []).entries()) {
    const offsetMs = offsetMsOf(minutesBehind);
    const toMs = zone!.untils[index] ?? Infinity;
    const last = ranges.at(-1);
    // The data also lists changes of only the abbreviation of a zone. They do not begin a new period.
    if (last?.offsetMs === offsetMs) ranges[ranges.length - 1] = { ...last, toMs };
    else ranges.push({ fromMs, toMs, offsetMs });
    fromMs = toMs;
  }
  return ranges;
};
