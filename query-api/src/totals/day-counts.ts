import { hash } from 'node:crypto';
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
    const keyOf = keysOf(extent, generation);
    return segmentsOf(extent.window).map((segment) => ({ ...segment, counted: this.#known.get(keyOf(segment)) }));
  }

  set(extent: Extent, generation: number, counted: Iterable<readonly [Segment, Counted]>): void {
    const keyOf = keysOf(extent, generation);
    for (const [segment, of] of counted) this.#known.set(keyOf(segment), of);
  }
}

/** Sites are hashed: an address may name two thousand, and what is remembered is to stay small. */
const keysOf = ({ dataset, network, siteIds }: Extent, generation: number) => {
  const sites = [...siteIds].sort((one, other) => one - other).join();
  const which = `${dataset.name} ${generation} ${network} ${sites && hash('sha256', sites, 'base64')}`;
  return ({ fromMs, toMs }: Segment): string => `${which} ${fromMs} ${toMs}`;
};
