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

export const partitionsOf = (
  { partitions = 1 }: Pick<ReplayDependencies, 'partitions'>,
  which: ProjectionGeneration,
): readonly GenerationPartition[] => listGenerationPartitions(which, partitions);

/** Returns false without calling `work` if another process holds one of the leases. */
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

/** If `work` fails for one item, aborts the signal of the others and throws the first error when all have ended. */
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

/** A round of catching up is too short to estimate a total. In a replay from facts, the total is the number of copied facts. */
export const withoutTotal = ({ events, position }: BuildProgress): BuildProgress => ({
  events,
  ...(position !== undefined && { position }),
});

export type OnPartitionProgress = (target: GenerationPartition, progress: BuildProgress) => void;

/** Position and total are undefined until every partition has reported them. */
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
