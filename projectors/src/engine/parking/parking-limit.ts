/** More failures in a minute indicate a faulty projection, not faulty events. */
export const maxParkedPerMinute = 100;

const minuteMs = 60_000;

export interface ParkingLimit {
  isFull(): boolean;
  count(): void;
}

/** `parkedBefore`: number of items that earlier runs parked in the last minute. */
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
