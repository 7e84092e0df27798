/** The events that hold a list of items, and the field with the list. */
const lists = {
  PlaysRecorded: 'plays',
  DetectionsRecorded: 'detections',
  HeartbeatsRecorded: 'heartbeats',
  IntervalsRecorded: 'intervals',
} as const;
export type ListEventType = keyof typeof lists;

/** An event with these items. */
export const listEvent = (type: ListEventType, ...items: readonly unknown[]) => ({
  type,
  data: { [lists[type]]: items },
});

/** Cuts a list into parts with at most `size` elements. */
export const chunk = <Each>(list: readonly Each[], size: number): (readonly Each[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));

/** Events with these items in their order, at most `itemsPerEvent` in each. */
export const listEvents = (type: ListEventType, items: readonly unknown[], itemsPerEvent: number) =>
  chunk(items, itemsPerEvent).map((part) => listEvent(type, ...part));
