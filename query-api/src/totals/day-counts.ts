import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Extent } from '../queries/index.ts';
import type { Progress } from '../reports/index.ts';
import { type Segment, segmentsOf } from './segments.ts';

/** Rows of a segment; true for as long as nothing is written to its day past the position. */
export interface Counted {
  readonly rows: number;
  readonly position: bigint;
}

/** Those of a generation. */
export type Tables = Pick<Progress, 'generation' | 'tablesId'>;

const remembered = 50_000;

/** What was counted, by the tables it was counted in, network, sites and segment. */
export class DayCounts {
  readonly #known = new LRUCache<string, Counted>({ max: remembered });

  get(extent: Extent, tables: Tables): readonly (Segment & { readonly counted: Counted | undefined })[] {
    const keyOf = keysOf(extent, tables);
    return segmentsOf(extent.window).map((segment) => ({ ...segment, counted: this.#known.get(keyOf(segment)) }));
  }

  set(extent: Extent, tables: Tables, counted: Iterable<readonly [Segment, Counted]>): void {
    const keyOf = keysOf(extent, tables);
    for (const [segment, of] of counted) this.#known.set(keyOf(segment), of);
  }
}

/** Sites are hashed: an address may name two thousand, and what is remembered is to stay small. */
const keysOf = ({ dataset, network, siteIds }: Extent, { generation, tablesId }: Tables) => {
  const sites = [...siteIds].sort((one, other) => one - other).join();
  const which = `${dataset.name} ${generation} ${tablesId} ${network} ${sites && hash('sha256', sites, 'base64')}`;
  return ({ fromMs, toMs }: Segment): string => `${which} ${fromMs} ${toMs}`;
};
