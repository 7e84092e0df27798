import { LRUCache } from 'lru-cache';
import type { Extent } from '../queries/index.ts';
import { type Segment, segmentsOf } from './segments.ts';

/** Rows of a segment; true for as long as nothing is written to its day past the position. */
export interface Counted {
  readonly rows: number;
  readonly position: bigint;
}

const remembered = 50_000;

/** What was counted, by generation, network, sites and segment. */
export class DayCounts {
  readonly #known = new LRUCache<string, Counted>({ max: remembered });

  get(extent: Extent, generation: number): readonly (Segment & { readonly counted: Counted | undefined })[] {
    return segmentsOf(extent.window).map((segment) => ({
      ...segment,
      counted: this.#known.get(keyOf(extent, generation, segment)),
    }));
  }

  set(extent: Extent, generation: number, segment: Segment, counted: Counted): void {
    this.#known.set(keyOf(extent, generation, segment), counted);
  }
}

const keyOf = ({ dataset, network, siteIds }: Extent, generation: number, { fromMs, toMs }: Segment): string => {
  const sites = [...siteIds].sort((one, other) => one - other).join();
  return `${dataset.name} ${generation} ${network} ${fromMs} ${toMs} ${sites}`;
};
