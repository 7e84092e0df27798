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

const latestFinalDay = ({ asOfMs, finalHours }: DayProgress): string =>
  toDay(Math.floor((asOfMs - finalHours * hourMs) / dayMs) - 1);

/** Maximum number of days that one call lists. */
const maxDays = 31;

export interface DaysOfNetwork {
  /** The last final day that was reported. */
  readonly last: string | undefined;
  readonly registeredMs: number;
  /** Undefined while the network is in use. */
  readonly retiredMs: number | undefined;
}

/**
 * Returns the final days after `last`, in order. Without `last`, returns at most the latest final day. Returns no day before the
 * registration of the network or after its retirement.
 */
export const listNewFinalDays = (
  progress: DayProgress,
  { last, registeredMs, retiredMs = Infinity }: DaysOfNetwork,
): readonly string[] => {
  const latest = Math.min(toIndex(latestFinalDay(progress)), Math.floor(retiredMs / dayMs));
  const first = last === undefined ? Math.max(latest, Math.floor(registeredMs / dayMs)) : toIndex(last) + 1;
  return Array.from({ length: Math.min(maxDays, Math.max(0, latest - first + 1)) }, (_, index) => toDay(first + index));
};
