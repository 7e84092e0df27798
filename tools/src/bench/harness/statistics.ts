/** The value below which the share lies, between neighbours in proportion; NaN of nothing. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Neighbours stay together; the groups differ in size by one at most. */
export const inGroups = <Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.min(count, items.length) }, (_, index, all = Math.min(count, items.length)) =>
    items.slice(Math.floor((index * items.length) / all), Math.floor(((index + 1) * items.length) / all)),
  );
