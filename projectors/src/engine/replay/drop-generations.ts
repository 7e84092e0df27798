import {
  findReplay,
  deleteGeneration,
  collectGenerationsToDrop,
  holdLease,
  type GenerationToDrop,
} from '@popsvc/platform/postgres';
import { dropGenerationProgress, dropGenerationTables } from '@popsvc/read-models/generations';
import type { ReplayDependencies } from './replay-parts.ts';
import { dropStaleSnapshots, type SnapshotOwner } from './snapshots.ts';

/** Drops the tables of a generation once nobody writes it; false while somebody does. Whoever reads them reads on. */
const dropGeneration = async (parts: ReplayDependencies, { version, ...key }: GenerationToDrop): Promise<boolean> => {
  const { writer, postgres, leases, projections, owner, log } = parts;
  const projection = projections.find(({ name }) => name === key.projection);
  // What a newer build made has tables that only that one knows.
  if (!projection || version > projection.version) return false;
  const lease = await holdLease(leases, key, owner);
  if (!lease) return false;
  try {
    await dropGenerationTables(writer, { projection, generation: key.generation });
    await dropGenerationProgress(writer, key);
    await deleteGeneration(postgres, key);
    log.info({ ...key }, 'a generation was dropped');
  } finally {
    await lease.remove();
  }
  return true;
};

/** Drops what is of no use any more: what was given up, what was kept for its time, and copies nobody compares. */
export const dropGenerations = async (parts: ReplayDependencies): Promise<void> => {
  for (const key of await collectGenerationsToDrop(parts.postgres)) await dropGeneration(parts, key);
  const isGoingOn = async ({ replay }: SnapshotOwner) => (await findReplay(parts.postgres, replay))?.endedAt === null;
  await dropStaleSnapshots(parts.writer, isGoingOn);
};
