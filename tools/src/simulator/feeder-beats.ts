/** How long before a play a feeder may have beaten to count as online (decisions 5.2). */
const reachMs = 300_000;

/** Whether the feeder of a device beat in reach of [fromMs, toMs), by the beats that were sent; a feeder has its device's id. */
export const feederBeats = (beats: ReadonlyMap<number, readonly number[]>) => {
  const sorted = new Map([...beats].map(([feeder, times]) => [feeder, Float64Array.from(times).sort()]));
  return (device: number, fromMs: number, toMs: number): boolean => {
    const times = sorted.get(device);
    if (!times) return false;
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < fromMs - reachMs) low = middle + 1;
      else high = middle;
    }
    return low < times.length && times[low]! < toMs;
  };
};
