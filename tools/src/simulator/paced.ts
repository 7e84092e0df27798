import { setTimeout as sleep } from 'node:timers/promises';

/** Passes items on no faster than so many events a second, counted from the first. */
export async function* paced<Item>(
  items: Iterable<Item>,
  eventsOf: (item: Item) => number,
  perSecond: number | undefined,
): AsyncGenerator<Item> {
  const began = performance.now();
  let events = 0;
  for (const item of items) {
    if (perSecond !== undefined) {
      const waitMs = began + (events / perSecond) * 1_000 - performance.now();
      if (waitMs > 0) await sleep(waitMs);
    }
    events += eventsOf(item);
    yield item;
  }
}
