/** Files up to this size are small: their jobs need little memory and end soon. */
const smallFileBytes = 1_048_576;

/** Small jobs have slots of their own, so that a small file never waits for the end of large ones. */
const smallJobs = { total: 16, perNetwork: 4 };

export interface JobSlots {
  /**
   * Takes a slot for a job with a file of this size. Returns the function that releases it, or undefined if the process or the
   * network has too many open jobs.
   */
  take(network: number, sizeBytes: number): (() => void) | undefined;
}

/**
 * Limits how many jobs a process has open, because each holds a part of its file in memory. One network has at most half of the
 * `maxLargeJobs` large jobs.
 */
export const createJobSlots = (maxLargeJobs: number): JobSlots => {
  const large = countOpen({ total: maxLargeJobs, perNetwork: Math.max(1, Math.floor(maxLargeJobs / 2)) });
  const small = countOpen(smallJobs);
  return { take: (network, sizeBytes) => (sizeBytes > smallFileBytes ? large : small)(network) };
};

/** Returns the maximum number of jobs that a process has open. */
export const countJobSlots = (maxLargeJobs: number): number => maxLargeJobs + smallJobs.total;

const countOpen = ({ total, perNetwork }: { readonly total: number; readonly perNetwork: number }) => {
  const byNetwork = new Map<number, number>();
  let open = 0;
  return (network: number): (() => void) | undefined => {
    const own = byNetwork.get(network) ?? 0;
    if (open >= total || own >= perNetwork) return undefined;
    open += 1;
    byNetwork.set(network, own + 1);
    return () => {
      open -= 1;
      const rest = byNetwork.get(network)! - 1;
      if (rest > 0) byNetwork.set(network, rest);
      else byNetwork.delete(network);
    };
  };
};
