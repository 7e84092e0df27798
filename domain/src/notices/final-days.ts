const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const toDay = (index: number): string => new Date(index * dayMs).toISOString().slice(0, 10);
const toIndex = (day: string): number => Date.parse(`${day}T00:00:00.000Z`) / dayMs;

export interface DayProgress {
  /** Everything received up to this time is in the reports; ms since 1970. */
  readonly asOfMs: number;
  /** A UTC day is final this many hours after its end. */
  readonly finalHours: number;
}

/** Returns the latest UTC day that is final, such as `2026-08-20`. */
const latestFinalDay = ({ asOfMs, finalHours }: DayProgress): string =>
  toDay(Math.floor((asOfMs - finalHours * hourMs) / dayMs) - 1);

/** Maximum number of days that one call lists. After a long interruption, the following calls list the remaining days. */
const maxDays = 31;

/**
 * Lists the days that have become final since `last`, in order. Without `last`, the list contains only the latest final day, or no day
 * if the network was registered after that day.
 */
export const listNewFinalDays = (
  progress: DayProgress,
  { last, registeredMs }: { readonly last: string | undefined; readonly registeredMs: number },
): readonly string[] => {
  const latest = toIndex(latestFinalDay(progress));
  const first = last === undefined ? Math.max(latest, Math.floor(registeredMs / dayMs)) : toIndex(last) + 1;
  return Array.from({ length: Math.min(maxDays, Math.max(0, latest - first + 1)) }, (_, index) => toDay(first + index));
};
