/** Returns the quantile of unsorted values, linearly interpolated between adjacent values; NaN for an empty list. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Splits a list into `count` groups of consecutive items. Group sizes differ by at most one; if the list has fewer than `count`
 * items, each item becomes a group.
 */
export const splitIntoGroups = <Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] => {
  const groups = Math.min(count, items.length);
  const startOf = (group: number) => Math.floor((group * items.length) / groups);
  return Array.from({ length: groups }, (_, group) => items.slice(startOf(group), startOf(group + 1)));
};
