import { completePart, readBuild } from '@popsvc/platform/postgres';
import { recomputeFacts } from '../recompute.ts';
import { standardWindowRows } from '../windows.sql.ts';
import { openBatchSession } from '../write-batch.ts';
import type { PartTask } from './task.ts';

/** Computes what follows from the facts of a network in a stretch of time. Told again it gives the same rows and versions. */
export const computeWindow = async (task: PartTask): Promise<void> => {
  const { projection, part, postgres, key, limits } = task;
  const build = await readBuild(postgres, key);
  if (!build) return;
  const steps = openBatchSession({ ...task, maxWindowRows: limits?.maxWindowRows ?? standardWindowRows });
  const of = { network: part.network, fromMs: Number(part.starts), toMs: Number(part.ends) };
  const whole = { after: 0n, upTo: build.upTo };
  await recomputeFacts(steps, projection.parallelBuild!.recompute!, whole, 'rebuild', of, part.slices);
  await task.assertSameServer();
  await completePart(postgres, key, part);
};
