import { effect, signal } from '@preact/signals';
import { storedValue } from '../state/stored-value.ts';

export const zoneModes = ['browser', 'site', 'utc'] as const;
export type ZoneMode = (typeof zoneModes)[number];

const storedMode = storedValue('popsvc-time-zone');

/** The browser converts times with its own rules, which may differ from those of reports. */
export const zoneMode = signal<ZoneMode>(zoneModes.find((mode) => mode === storedMode.read()) ?? 'browser');
effect(() => storedMode.write(zoneMode.value));

export const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Undefined or null if a time belongs to no site or network, or if the zone is not loaded yet. */
export type SiteZone = string | null | undefined;

const knownZones = new Map<string, boolean>();

const isKnown = (zone: string): boolean => {
  let known = knownZones.get(zone);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat(undefined, { timeZone: zone });
      known = true;
    } catch {
      known = false;
    }
    knownZones.set(zone, known);
  }
  return known;
};

export const shownZone = (site?: SiteZone): string => {
  if (zoneMode.value === 'utc') return 'UTC';
  if (zoneMode.value === 'browser' || !site) return browserZone;
  return isKnown(site) ? site : 'UTC';
};

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns `YYYY-MM-DD`. */
const dateIn = (ms: number, zone: string): string => {
  let format = dateFormats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    dateFormats.set(zone, format);
  }
  return format.format(ms);
};

/** Days begin at multiples of this time, because the present offsets of time zones are multiples of it. */
const stepMs = 15 * 60_000;

export const dayStartsBetween = (fromMs: number, toMs: number, zone: string): readonly number[] => {
  const starts: number[] = [];
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  let before = dateIn(firstMs - stepMs, zone);
  for (let ms = firstMs; ms < toMs; ms += stepMs) {
    const date = dateIn(ms, zone);
    if (date !== before) starts.push(ms);
    before = date;
  }
  return starts;
};

const dayMs = 86_400_000;

/** `day` is `YYYY-MM-DD`. */
export const dayEndOf = (day: string, zone: string): number | undefined => {
  const utcMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(utcMs)) return undefined;
  return dayStartsBetween(utcMs, utcMs + 3 * dayMs, zone).find((ms) => dateIn(ms, zone) > day);
};
