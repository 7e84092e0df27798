const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayAndHour = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const dateText = (ms: number): string => dateAndTime.format(ms);
export const clockText = (ms: number): string => clockTime.format(ms);
export const hourText = (ms: number): string => dayAndHour.format(ms);
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
export const weekdayText = (ms: number): string => weekday.format(ms);
export const dayText = (ms: number): string => day.format(ms);

/** The same for everybody: `2026-11-21 16:06:43 UTC`. */
export const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const steps = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** "3 minutes ago". */
export const agoText = (ms: number, nowMs: number): string => {
  const seconds = Math.round((ms - nowMs) / 1_000);
  const [size, unit] = steps.find(([least]) => Math.abs(seconds) >= least) ?? steps[3];
  return relative.format(Math.trunc(seconds / size), unit);
};
