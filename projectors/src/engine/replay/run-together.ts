/**
 * Runs work for each item at the same time, such as for the partitions of a generation. If it fails for one item, `signal` of the
 * others aborts. Throws the first error when all have ended.
 */
export const runTogether = async <Item>(
  items: readonly Item[],
  work: (item: Item, index: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  await Promise.all(items.map((item, index) => work(item, index, stop).catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
};
