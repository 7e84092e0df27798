import { type Group, isScreens, type RetryPoint } from './retry-points.ts';

/** The first point after a position that concerns an event of a group which waits for these screens. */
export type NextPoint = (group: Group, screens: readonly string[], after: bigint) => RetryPoint | undefined;

/** The first of some points, sorted by position, that stands after one. */
const firstAfter = (points: readonly RetryPoint[], after: bigint): RetryPoint | undefined => {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.position > after) high = middle;
    else low = middle + 1;
  }
  return points[low];
};

/**
 * Points, in the order of the log, by what they concern: ten thousand devices at once are ten thousand points, and each of a
 * page of events asks only for its own.
 */
export const retryIndex = (points: readonly RetryPoint[]): NextPoint => {
  const groupKey = ({ network, vendor, schemaVersion }: Group) => JSON.stringify([network, vendor, schemaVersion]);
  const screenKey = (network: number, screen: string) => JSON.stringify([network, screen]);
  const by = new Map<string, RetryPoint[]>();
  const put = (key: string, point: RetryPoint) => {
    const known = by.get(key);
    if (known) known.push(point);
    else by.set(key, [point]);
  };
  for (const point of points) {
    const { network, of } = point;
    if (!isScreens(of)) put(groupKey(of), point);
    else for (const screen of of) put(screenKey(network, screen), point);
  }
  return (group, screens, after) => {
    const keys = [groupKey(group), ...screens.map((screen) => screenKey(group.network, screen))];
    let next: RetryPoint | undefined;
    for (const key of keys) {
      const found = firstAfter(by.get(key) ?? [], after);
      if (found && (!next || found.position < next.position)) next = found;
    }
    return next;
  };
};
