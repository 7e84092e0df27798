import { lowestPosition } from '@popsvc/platform/event-store';
import type { ProjectionUnit } from '../units.ts';
import type { BuildProgress } from './build-generation.ts';

/**
 * Returns the progress without the estimated total. The total of a replay from facts is the number of copied facts, and a round of
 * catching up is too short for an estimate.
 */
export const withoutTotal = ({ events, position }: BuildProgress): BuildProgress => ({
  events,
  ...(position !== undefined && { position }),
});

export type OnUnitProgress = (unit: ProjectionUnit, progress: BuildProgress) => void;

/**
 * Joins the progress of the partitions of a generation: the sum of their events and estimated totals, and the lowest position. Position
 * and total are unknown until each partition has reported them.
 */
export const joinUnitProgress = (
  units: readonly ProjectionUnit[],
  onProgress: (progress: BuildProgress) => void,
): OnUnitProgress => {
  const known = new Map<number, Pick<BuildProgress, 'position' | 'total'>>();
  const all = <Value>(read: (progress: Pick<BuildProgress, 'position' | 'total'>) => Value | undefined): Value[] =>
    [...known.values()].flatMap((progress) => read(progress) ?? []);
  return ({ partition }, progress) => {
    known.set(partition.index, { ...known.get(partition.index), ...progress });
    const [positions, totals] = [all(({ position }) => position), all(({ total }) => total)];
    onProgress({
      events: progress.events,
      ...(positions.length === units.length && { position: lowestPosition(positions) }),
      ...(totals.length === units.length && { total: totals.reduce((sum, total) => sum + total, 0) }),
    });
  };
};
