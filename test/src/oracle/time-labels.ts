import { toLocalTime } from '@popsvc/domain/business-hours';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The labels of decisions 5.7. */
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
export const formatLocalTimestamp = (instantMs: number, zone: string): string =>
  toLocalTime(instantMs, zone).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");

export const timeLabels = (instantMs: number, zone: string): TimeLabels => {
  const local = toLocalTime(instantMs, zone);
  const hour = twoDigits(local.hour);
  return {
    dateOnly: local.toFormat('yyyy-MM-dd'),
    month: local.toFormat('yyyy-MM'),
    hour,
    day: days[local.weekday - 1]!,
    timeRange: `${hour}:00-${twoDigits(local.hour + 1)}:00`,
  };
};
