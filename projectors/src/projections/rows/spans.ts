/** Facts are looked up by spans of five minutes; an instant belongs to the span it lies in. */
export const spanMs = 300_000;

/** The span an instant lies in. */
export const spanOf = (atMs: number): number => Math.floor(atMs / spanMs);

/** A month: nothing that is looked up by spans lasts longer than a day. */
const most = 8_928;

/** Every span that [from, to) touches; at least the one of `from`. Throws when they are more than there can be. */
export const spansOf = (fromMs: number, toMs: number): number[] => {
  const first = spanOf(fromMs);
  const last = Math.max(first, Math.ceil(toMs / spanMs) - 1);
  if (!(last - first < most)) throw new RangeError('it lasts longer than a month');
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};
