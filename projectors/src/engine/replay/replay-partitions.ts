import { lowestPosition } from '@popsvc/platform/event-store';
import { type HeldLease, holdLease } from '@popsvc/platform/postgres';
import {
  listGenerationPartitions,
  type ProjectionGeneration,
  type GenerationPartition,
  partitionKeyOf,
} from '../generation-partitions.ts';
import type { BuildProgress } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';

/** Lists the partitions of a generation. Each is built, paused and verified at its own position. */
export const partitionsOf = (
  { partitions = 1 }: Pick<ReplayDependencies, 'partitions'>,
  which: ProjectionGeneration,
): readonly GenerationPartition[] => listGenerationPartitions(which, partitions);

/** Holds the leases of all partitions while `work` runs. Returns false without calling `work` if another process holds one of them. */
export const withLeases = async (
  { leases, owner }: Pick<ReplayDependencies, 'leases' | 'owner'>,
  partitions: readonly GenerationPartition[],
  work: (held: readonly HeldLease[]) => Promise<void>,
): Promise<boolean> => {
  const held: HeldLease[] = [];
  try {
    for (const target of partitions) {
      const lease = await holdLease(leases, partitionKeyOf(target), owner);
      if (!lease) return false;
      held.push(lease);
    }
    await work(held);
    return true;
  } finally {
    await Promise.all(held.map((lease) => lease.release()));
  }
};

/**
 * Runs `work` for each item at the same time. If it fails for one item, aborts the signal of the others. Throws the first error when all
 * have ended.
 */
export const runTogether = async <Item>(
  items: readonly Item[],
  work: (item: Item, index: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  await Promise.all(items.map((item, index) => work(item, index, stop).catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
};

/**
 * Returns the progress without the estimated total. In a replay from facts, the total is the number of copied facts. A round of catching up
 * is too short for an estimate.
 */
export const withoutTotal = ({ events, position }: BuildProgress): BuildProgress => ({
  events,
  ...(position !== undefined && { position }),
});

export type OnPartitionProgress = (target: GenerationPartition, progress: BuildProgress) => void;

/**
 * Joins the progress of a generation's partitions: the sum of their events and estimated totals, and the lowest position. Position and
 * total are undefined until every partition has reported them.
 */
export const joinPartitionProgress = (
  partitions: readonly GenerationPartition[],
  onProgress: (progress: BuildProgress) => void,
): OnPartitionProgress => {
  const known = new Map<number, Pick<BuildProgress, 'position' | 'total'>>();
  const all = <Value>(read: (progress: Pick<BuildProgress, 'position' | 'total'>) => Value | undefined): Value[] =>
    [...known.values()].flatMap((progress) => read(progress) ?? []);
  return ({ partition }, progress) => {
    known.set(partition.index, { ...known.get(partition.index), ...progress });
    const [positions, totals] = [all(({ position }) => position), all(({ total }) => total)];
    onProgress({
      events: progress.events,
      ...(positions.length === partitions.length && { position: lowestPosition(positions) }),
      ...(totals.length === partitions.length && { total: totals.reduce((sum, total) => sum + total, 0) }),
    });
  };
};
