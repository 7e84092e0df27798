export interface BatchLimits {
  readonly items: number;
  readonly bytes: number;
}

/** Below what one request may hold. */
export const standardBatch: BatchLimits = { items: 500, bytes: 4 * 1024 * 1024 };

/** Items in groups that fit one request; `bytesOf` tells what an item takes there. */
export async function* batches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  bytesOf: (item: Item) => number,
  limits = standardBatch,
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = bytesOf(item) + 1;
    if (batch.length >= limits.items || (batch.length > 0 && bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
