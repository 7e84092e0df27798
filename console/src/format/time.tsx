import { signal } from '@preact/signals';
import { shownZone, type SiteZone, zoneMode } from './time-zone.ts';

const formats = {
  dateAndTime: { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' },
  /** With the name of the zone, because the times of a list may be in different zones. */
  dateTimeAndZone: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    hourCycle: 'h23',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  },
  timeOfDay: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  weekdayAndTime: { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dayAndTime: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

const formatters = new Map<string, Intl.DateTimeFormat>();

const format = (name: keyof typeof formats, ms: number, site: SiteZone): string => {
  const zone = shownZone(site);
  const key = `${name} ${zone}`;
  let formatter = formatters.get(key);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat(undefined, { ...formats[name], timeZone: zone });
    formatters.set(key, formatter);
  }
  return formatter.format(ms);
};

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const formatTimeOfDay = (ms: number, site?: SiteZone): string => format('timeOfDay', ms, site);
export const formatWeekdayAndTime = (ms: number, site?: SiteZone): string => format('weekdayAndTime', ms, site);
export const formatDay = (ms: number, site?: SiteZone): string => format('day', ms, site);
export const formatDayAndTime = (ms: number, site?: SiteZone): string => format('dayAndTime', ms, site);

const formatDateAndTime = (ms: number, site: SiteZone): string =>
  format(zoneMode.value === 'site' ? 'dateTimeAndZone' : 'dateAndTime', ms, site);

const formatUtc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

const formatAgo = (ms: number, nowMs: number): string => {
  const seconds = Math.round((ms - nowMs) / 1_000);
  const [unitSeconds, unit] = units.find(([least]) => Math.abs(seconds) >= least) ?? units[3];
  return relative.format(Math.trunc(seconds / unitSeconds), unit);
};

export const nowMs = signal(Date.now());

setInterval(() => (nowMs.value = Date.now()), 5_000);

interface TimeProps {
  /** ISO 8601. */
  readonly at: string | null;
  readonly site?: SiteZone;
}

export const Time = ({ at, site }: TimeProps) => {
  if (at === null) return <>–</>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={formatUtc(ms)} class="nowrap">
      {formatDateAndTime(ms, site)}
    </time>
  );
};

export const Ago = ({ at, site }: TimeProps) => {
  if (at === null) return <>–</>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={`${formatDateAndTime(ms, site)}\n${formatUtc(ms)}`} class="nowrap">
      {formatAgo(Math.min(ms, nowMs.value), nowMs.value)}
    </time>
  );
};
