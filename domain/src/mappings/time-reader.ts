import type { TimeSource } from '@popsvc/contracts/mappings';
import { instantMs } from '@popsvc/contracts/time';
import { type Reader, textReader } from './text-reader.ts';
import { timeParser } from './time-text.ts';
import { shown, Trouble } from './trouble.ts';
import { instantOnClock } from './wall-clock.ts';
import { type OffsetAt, zoneOffset } from './zone-offset.ts';

/** A time by the clock of the device: which instant it was, only the device's zone tells. */
export class DeviceTime {
  readonly wallMs: number;

  constructor(wallMs: number) {
    this.wallMs = wallMs;
  }
}

/** A written offset in ms: `+01:00`, `-0530`, `Z`. */
const offsetMs = (text: string): number | undefined => {
  const behind = /^(?:[+-]|Z$)/.test(text) ? instantMs(`1970-01-01T00:00${text}`) : undefined;
  return behind === undefined ? undefined : 0 - behind;
};

const offsetReader = (path: string, at: string): Reader<number> => {
  const read = textReader({ path }, at);
  return (event) => {
    const text = read(event);
    if (text instanceof Trouble) return text;
    if (text === undefined) return new Trouble('missing', `${at} is missing`);
    return offsetMs(text) ?? new Trouble('unparsable', `${at}: ${shown(text)} is not an offset`);
  };
};

/** The instant a clock showed a time, or the trouble of a field with that. */
export const settled = (wallMs: number, offsetAt: OffsetAt, at: string): number | Trouble => {
  const instant = instantOnClock(wallMs, offsetAt);
  if (instant === 'skipped') return new Trouble('skipped_hour', `${at}: the clocks skipped this time`);
  return instant === 'unknown' ? new Trouble('no_zone', `${at}: the zone of the device is not known`) : instant;
};

/** Reads a time as an instant in ms, or as one by the clock of the device. */
export const timeReader = (source: TimeSource, at: string): Reader<number | DeviceTime> => {
  const read = textReader(source, at);
  const { time = 'iso', zone = 'device', offset_path: offsetPath } = source;
  const parse = timeParser(time);
  const readOffset = offsetPath === undefined ? undefined : offsetReader(offsetPath, `offset of ${at} (${offsetPath})`);
  const offsetAt = zone === 'utc' || zone === 'device' ? undefined : zoneOffset(zone);
  return (event) => {
    const text = read(event);
    if (text === undefined || text instanceof Trouble) return text;
    const told = parse(text);
    if (!told || (readOffset && 'instantMs' in told))
      return new Trouble('unparsable', `${at}: ${shown(text)} is not a time${time === 'iso' ? '' : ` (${time})`}`);
    if ('instantMs' in told) return told.instantMs;
    if (readOffset) {
      const offset = readOffset(event);
      if (typeof offset !== 'number') return offset;
      return zone === 'utc' ? told.wallMs : told.wallMs - offset;
    }
    if (zone === 'utc') return told.wallMs;
    return offsetAt ? settled(told.wallMs, offsetAt, at) : new DeviceTime(told.wallMs);
  };
};
