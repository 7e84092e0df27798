import { shortenValue } from '@popsvc/contracts/errors';
import { patternTokens, type TimeSource } from '@popsvc/contracts/mappings';
import { instantMs } from '@popsvc/contracts/time';
import { type OffsetAt, zoneOffset } from '@popsvc/contracts/time-zones';
import { DateTime } from 'luxon';
import { Trouble } from './mapping-result.ts';
import { type Reader, scaled, textReader } from './text-reader.ts';

const hourMs = 3_600_000;

/** The largest offsets from UTC that time zones have today. */
const [mostAhead, mostBehind] = [14 * hourMs, 12 * hourMs];

/**
 * Returns the earlier of two instants if the clock is set back, and `skipped` if the clock skips the time. An offset fits only if it is
 * also in force at the resulting instant.
 */
const instantOnClock = (wallMs: number, offsetAt: OffsetAt): number | 'skipped' | 'unknown' => {
  const [before, after] = [offsetAt(wallMs - mostAhead), offsetAt(wallMs + mostBehind)];
  if (before === after && before !== undefined) return wallMs - before;
  const fitting = [before, after].flatMap((offset) =>
    offset !== undefined && offsetAt(wallMs - offset) === offset ? [wallMs - offset] : [],
  );
  if (fitting.length > 0) return Math.min(...fitting);
  return before === undefined || after === undefined ? 'unknown' : 'skipped';
};

/** `wallMs` is a local time, expressed as if the clock showed UTC. */
type ParsedTime = { readonly instantMs: number } | { readonly wallMs: number };

type Parse = (text: string) => ParsedTime | undefined;

const unix =
  (places: 0 | 3): Parse =>
  (text) => {
    const ms = scaled(text, places);
    return ms === undefined ? undefined : { instantMs: ms };
  };

/** A space may replace the T, as in database exports. */
const iso: Parse = (sent) => {
  const text = sent[10] === ' ' ? `${sent.slice(0, 10)}T${sent.slice(11)}` : sent;
  const instant = instantMs(text);
  if (instant !== undefined) return { instantMs: instant };
  const wallMs = instantMs(`${text}Z`);
  return wallMs === undefined ? undefined : { wallMs };
};

const pattern = (written: string): Parse => {
  const tokens = patternTokens(written) ?? [];
  // In Luxon, an unquoted T is a token for the time of day.
  const format = tokens.map((token) => (token === 'T' ? "'T'" : token)).join('');
  const hasOffset = tokens.some((token) => token.startsWith('Z'));
  const locale = 'en-US';
  const parser = DateTime.buildFormatParser(format, { locale });
  return (text) => {
    const read = DateTime.fromFormatParser(text, parser, { zone: 'utc', locale });
    if (!read.isValid) return undefined;
    const ms = read.toMillis();
    return hasOffset ? { instantMs: ms } : { wallMs: ms };
  };
};

const timeParser = (kind: TimeSource['time'] = 'iso'): Parse => {
  if (kind === 'iso') return iso;
  if (kind === 'unix_s') return unix(3);
  return kind === 'unix_ms' ? unix(0) : pattern(kind);
};

/** A local time of the device, whose time zone is not known yet. */
export class DeviceTime {
  readonly wallMs: number;

  constructor(wallMs: number) {
    this.wallMs = wallMs;
  }
}

/** A time that was sent as local time in a named zone. */
export class ZonedTime {
  readonly instantMs: number;
  readonly zone: string;

  constructor(instantMs: number, zone: string) {
    this.instantMs = instantMs;
    this.zone = zone;
  }
}

/** A number is in ms since 1970, from a time in UTC, a time with an offset or a Unix time. */
export type ReadTime = number | DeviceTime | ZonedTime;

/** The Outsmart standard writes GMT as `:00:00`. */
const greenwich = /^(?:z|gmt|utc|(?::?00)+)$/i;
/** The sign may be a hyphen or the minus sign of ISO 8601. */
const signedOffset = /^(?:gmt|utc)?([+\-−])(\d\d)(?::?([0-5]\d)(?::?([0-5]\d))?)?$/i;
const mostOffsetHours = 18;

const offsetMs = (text: string): number | undefined => {
  const [, sign, hours, minutes = '0', seconds = '0'] = signedOffset.exec(text) ?? [];
  if (hours === undefined) return greenwich.test(text) ? 0 : undefined;
  if (Number(hours) > mostOffsetHours) return undefined;
  const ms = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  return sign === '+' ? ms : 0 - ms;
};

/** With `isUtc`, the event must have the field, but its value is not used. */
const offsetReader = (path: string, at: string, isUtc: boolean): Reader<number> => {
  const read = textReader({ path }, at);
  return (event) => {
    const text = read(event);
    if (text instanceof Trouble) return text;
    if (text === undefined) return new Trouble('missing', `${at} is missing`);
    if (isUtc) return 0;
    return offsetMs(text) ?? new Trouble('unparsable', `${at}: ${shortenValue(text)} is not an offset`);
  };
};

export interface Clock {
  readonly offsetAt: OffsetAt;
  /** Names the time zone in the reason of a failure. */
  readonly describeZone: () => string;
}

export const resolveWallTime = (wallMs: number, { offsetAt, describeZone }: Clock, at: string): number | Trouble => {
  const instant = instantOnClock(wallMs, offsetAt);
  if (instant === 'skipped') return new Trouble('skipped_hour', `${at}: the clocks skipped this time`);
  return instant === 'unknown' ? new Trouble('no_zone', `${at}: ${describeZone()} is not known`) : instant;
};

export const timeReader = (source: TimeSource, at: string): Reader<ReadTime> => {
  const read = textReader(source, at);
  const { time = 'iso', zone = 'device', offset_path: offsetPath } = source;
  const parse = timeParser(time);
  const readOffset =
    offsetPath === undefined ? undefined : offsetReader(offsetPath, `offset of ${at} (${offsetPath})`, zone === 'utc');
  const clock =
    zone === 'utc' || zone === 'device'
      ? undefined
      : { offsetAt: zoneOffset(zone), describeZone: () => `the time zone ${zone}` };
  return (event) => {
    const text = read(event);
    if (text === undefined || text instanceof Trouble) return text;
    const parsed = parse(text);
    if (!parsed || (readOffset && 'instantMs' in parsed))
      return new Trouble(
        'unparsable',
        `${at}: ${shortenValue(text)} is not a time${time === 'iso' ? '' : ` (${time})`}`,
      );
    if ('instantMs' in parsed) return parsed.instantMs;
    if (readOffset) {
      const offset = readOffset(event);
      return typeof offset === 'number' ? parsed.wallMs - offset : offset;
    }
    if (zone === 'utc') return parsed.wallMs;
    if (!clock) return new DeviceTime(parsed.wallMs);
    const instant = resolveWallTime(parsed.wallMs, clock, at);
    return instant instanceof Trouble ? instant : new ZonedTime(instant, zone);
  };
};
