import type { PageAsked, Window } from '../asked/index.ts';
import type { Counted } from './day-counts.ts';
import type { Segment } from './segments.ts';

/** How many times the room is given that rows would take if they lay evenly in their day. */
const margin = 4;

const edge = (ms: number) => ({ ms, beyondNs: 0 });

/**
 * From where a page begins, the days that hold its rows, of the last one as much as it takes. Only a likely place: a page that
 * is not full there is looked for in the whole window.
 */
export const nearWindow = (
  days: readonly (Segment & { readonly counted: Pick<Counted, 'rows'> | undefined })[],
  window: Window,
  { sort, after, offset, limit }: Pick<PageAsked, 'sort' | 'after' | 'offset' | 'limit'>,
): Window | undefined => {
  const isUp = sort === 'asc';
  let wanted = offset + limit + 1;
  for (const { fromMs, toMs, counted } of isUp ? days : [...days].reverse()) {
    const [near, far] = isUp
      ? [Math.max(fromMs, after?.ms ?? fromMs), toMs]
      : [Math.min(toMs, (after?.ms ?? toMs) + 1), fromMs];
    const length = isUp ? far - near : near - far;
    if (length <= 0) continue;
    if (!counted) return undefined;
    const density = counted.rows / (toMs - fromMs);
    const room = density > 0 ? Math.ceil((wanted * margin) / density) : Infinity;
    if (room < length) return isUp ? { ...window, to: edge(near + room) } : { ...window, from: edge(near - room) };
    // Of a day that is begun in its middle nobody knows how many rows are left.
    if (length === toMs - fromMs) wanted -= counted.rows;
    if (wanted <= 0) return isUp ? { ...window, to: edge(far) } : { ...window, from: edge(far) };
  }
  return undefined;
};
