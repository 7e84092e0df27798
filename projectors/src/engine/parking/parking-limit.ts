/**
 * Number of items parked (stored for a retry) in a minute at which parking stops. More failures indicate a faulty projection, not faulty
 * events.
 */
export const maxParkedPerMinute = 100;

const minuteMs = 60_000;

/** Counts the items that a run parks, so that event-applier.ts can stop at the limit. */
export interface ParkingLimit {
  /** Returns whether the limit for the last minute is reached. */
  isFull(): boolean;
  count(): void;
}

/** Creates the parking limit of a run. `parkedBefore`: number of items that earlier runs parked in the last minute. */
export const createParkingLimit = (parkedBefore: number): ParkingLimit => {
  const startedAt = performance.now();
  let times: number[] = [];
  return {
    isFull() {
      const now = performance.now();
      times = times.filter((at) => now - at < minuteMs);
      return times.length + (now - startedAt < minuteMs ? parkedBefore : 0) >= maxParkedPerMinute;
    },
    count: () => void times.push(performance.now()),
  };
};
