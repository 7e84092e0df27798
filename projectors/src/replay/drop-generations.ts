import { forgetGeneration, generationsToDrop, holdLease, type LeaseKey } from '@popsvc/platform/records';
import { dropTables } from '../schema/drop-tables.ts';
import type { ReplayParts } from './replay-parts.ts';

/** Drops the tables of a generation once nobody writes it; false while somebody does. Whoever reads them reads on. */
const dropGeneration = async (parts: ReplayParts, key: LeaseKey): Promise<boolean> => {
  const { writer, records, leases, projections, owner, log } = parts;
  const lease = await holdLease(leases, key, owner);
  if (!lease) return false;
  try {
    const projection = projections.find(({ name }) => name === key.projection);
    if (projection) await dropTables(writer, { projection, generation: key.generation });
    await forgetGeneration(records, key);
    log.info({ ...key }, 'a generation was dropped');
  } finally {
    await lease.remove();
  }
  return true;
};

/** Drops what is of no use any more: what was given up, and what was kept for its time. */
export const dropGenerations = async (parts: ReplayParts): Promise<void> => {
  for (const key of await generationsToDrop(parts.records)) await dropGeneration(parts, key);
};
