import { signal } from '@preact/signals';

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

// These functions format a time (ms since 1970) in the language and time zone of the browser.
export const formatTimeOfDay = (ms: number): string => timeOfDay.format(ms);
export const formatWeekday = (ms: number): string => weekday.format(ms);
export const formatDay = (ms: number): string => day.format(ms);
export const formatDayAndTime = (ms: number): string => dayAndTime.format(ms);

/** Formats a time in UTC, such as `2026-11-21 16:06:43 UTC`. */
const formatUtc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** Formats a time relative to the current time, such as `3 minutes ago`. */
const formatAgo = (ms: number, nowMs: number): string => {
  const seconds = Math.round((ms - nowMs) / 1_000);
  const [unitSeconds, unit] = units.find(([least]) => Math.abs(seconds) >= least) ?? units[3];
  return relative.format(Math.trunc(seconds / unitSeconds), unit);
};

/** The current time in ms since 1970, updated every 5 s. */
export const nowMs = signal(Date.now());

setInterval(() => (nowMs.value = Date.now()), 5_000);

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
}

/** Shows a time in the browser's time zone, with UTC as the tooltip. */
export const Time = ({ at }: TimeProps) => {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={formatUtc(ms)} class="nowrap">
      {dateAndTime.format(ms)}
    </time>
  );
};

/** Shows how long ago a time was, with the time itself as the tooltip. */
export const Ago = ({ at }: TimeProps) => {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={`${dateAndTime.format(ms)}\n${formatUtc(ms)}`} class="nowrap">
      {formatAgo(Math.min(ms, nowMs.value), nowMs.value)}
    </time>
  );
};
