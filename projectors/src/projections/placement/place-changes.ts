import type { PlacementChange } from '../../engine/recipe.ts';
import type { feederRows } from './feeder-rows.ts';
import type { PlaceRow, ThresholdRow } from './place-row.ts';

export interface PlaceChanges<Key> {
  readonly places: readonly (PlaceRow & { readonly key: Key })[];
  readonly thresholds: readonly ThresholdRow[];
  readonly feeders: ReturnType<typeof feederRows>;
  readonly changes: readonly PlacementChange[];
}

/** One stretch over several ranges; none where there are none. */
export const spanning = (
  network: number,
  ranges: readonly { fromMs: number; toMs: number }[],
  of: Pick<PlacementChange, 'reason' | 'everything'>,
): PlacementChange[] =>
  ranges.length === 0
    ? []
    : [
        {
          network,
          fromMs: ranges.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity),
          toMs: ranges.reduce((most, { toMs }) => Math.max(most, toMs), 0),
          ...of,
        },
      ];
