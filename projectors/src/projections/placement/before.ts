import type { ThresholdVersion } from '@popsvc/domain/audience';
import type { FeederSegment, PlaceSegment, Segment } from '@popsvc/domain/registry';

export type Segments<Key, Held> = ReadonlyMap<Key, readonly Held[]>;

/** What was held of the keys that were looked at; of a key that was not there, nothing. */
interface Looked<Key, Held> {
  readonly keys: Set<Key>;
  readonly held: Map<Key, readonly Held[]>;
}

/** A network as it was before the first event of a batch that touched it, as far as the batch touches it. */
export interface Before<Key> {
  readonly thresholds: readonly ThresholdVersion[];
  readonly places: Looked<Key, PlaceSegment>;
  readonly feeders: Looked<number, FeederSegment>;
}

export const emptyBefore = <Key>(thresholds: readonly ThresholdVersion[]): Before<Key> => ({
  thresholds,
  places: { keys: new Set(), held: new Map() },
  feeders: { keys: new Set(), held: new Map() },
});

/** Looks at the keys that were not looked at yet: only the first look is one from before the batch. */
export const remember = <Key, Held extends Segment>(
  { keys, held }: Looked<Key, Held>,
  touched: Iterable<Key>,
  look: (only: Iterable<Key>) => Segments<Key, Held>,
): void => {
  const fresh = [...touched].filter((key) => !keys.has(key));
  if (fresh.length === 0) return;
  const found = look(fresh);
  for (const key of fresh) {
    keys.add(key);
    const segments = found.get(key);
    if (segments) held.set(key, segments);
  }
};
