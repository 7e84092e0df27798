import { readOpenParts, readBuild } from '@popsvc/platform/postgres';
import type { RunnerDependencies, ProjectionGeneration } from '../runner-parts.ts';
import { reopenLostParts } from './distrust.ts';
import { workOnParts } from './work.ts';

/**
 * Has of what a generation was made of at once that part done again which a restart of ClickHouse may have undone. For who holds
 * its lease and goes on at `position`: from before the end of the build all is folded again anyway.
 */
export const repairBuild = async (
  parts: RunnerDependencies,
  { projection, generation }: ProjectionGeneration,
  position: bigint,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  const build = await readBuild(parts.postgres, key);
  if (!build || !projection.parallelBuild || position < build.upTo) return;
  await reopenLostParts(parts, key);
  const open = await readOpenParts(parts.postgres, key);
  if (open.length === 0) return;
  parts.log.warn({ ...key, step: open[0]!.step, parts: open.length }, 'what ClickHouse may have lost is built again');
  await workOnParts(parts, { projection, generation }, signal);
};
