import { maxParkedPerMinute } from './poison.ts';

const minuteMs = 60_000;

/** Counts what is parked; `lately` of it in the minute before. */
export const createParkingLimit = (lately: number) => {
  const startedAt = performance.now();
  let times: number[] = [];
  return {
    /** Whether one more within a minute is too many. */
    isFull(): boolean {
      const now = performance.now();
      times = times.filter((at) => now - at < minuteMs);
      return times.length + (now - startedAt < minuteMs ? lately : 0) >= maxParkedPerMinute;
    },
    count: () => void times.push(performance.now()),
  };
};
