import { readOpenParts, readBuild } from '@popsvc/platform/postgres';
import type { RunnerParts, Which } from '../runner-parts.ts';
import { distrust } from './distrust.ts';
import { work } from './work.ts';

/**
 * Has of what a generation was made of at once that part done again which a restart of ClickHouse may have undone. For who holds
 * its lease and goes on at `position`: from before the end of the build all is folded again anyway.
 */
export const mendBuild = async (
  parts: RunnerParts,
  { projection, generation }: Which,
  position: bigint,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  const build = await readBuild(parts.postgres, key);
  if (!build || !projection.rebuild || position < build.upTo) return;
  await distrust(parts, key);
  const open = await readOpenParts(parts.postgres, key);
  if (open.length === 0) return;
  parts.log.warn({ ...key, step: open[0]!.step, parts: open.length }, 'what ClickHouse may have lost is built again');
  await work(parts, { projection, generation }, signal);
};
