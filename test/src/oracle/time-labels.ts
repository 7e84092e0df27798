import { toLocalMs } from '@popsvc/contracts/time-zones';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The labels of a local time in reports. */
export interface TimeLabels {
  /** `2026-08-20` */
  readonly dateOnly: string;
  /** `2026-08` */
  readonly month: string;
  /** `00` to `23` */
  readonly hour: string;
  /** `Monday` to `Sunday` */
  readonly day: string;
  /** `14:00-15:00`; the last of a day is `23:00-24:00` */
  readonly timeRange: string;
}

/** `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`: an instant on the wall clock of a zone; the offset distinguishes the two passes of a repeated hour. */
export const formatLocalTimestamp = (instantMs: number, zone: string): string => {
  const localMs = toLocalMs(instantMs, zone);
  const minutes = Math.abs(localMs - instantMs) / 60_000;
  const offset = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(Math.floor(minutes % 60))}`;
  return `${new Date(localMs).toISOString().slice(0, 23)}${localMs < instantMs ? '-' : '+'}${offset}`;
};

export const timeLabels = (instantMs: number, zone: string): TimeLabels => {
  const local = new Date(toLocalMs(instantMs, zone));
  const text = local.toISOString();
  const hour = text.slice(11, 13);
  return {
    dateOnly: text.slice(0, 10),
    month: text.slice(0, 7),
    hour,
    day: days[local.getUTCDay()]!,
    timeRange: `${hour}:00-${twoDigits(local.getUTCHours() + 1)}:00`,
  };
};
