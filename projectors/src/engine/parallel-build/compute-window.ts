import { completePart, readBuild } from '@popsvc/platform/postgres';
import { computeAgain } from '../recompute.ts';
import { standardWindowRows } from '../windows.sql.ts';
import { stepsOf } from '../write-batch.ts';
import type { Task } from './task.ts';

/** Computes what follows from the facts of a network in a stretch of time. Told again it gives the same rows and versions. */
export const computeWindow = async (task: Task): Promise<void> => {
  const { projection, part, postgres, key, limits } = task;
  const build = await readBuild(postgres, key);
  if (!build) return;
  const steps = stepsOf({ ...task, windowRows: limits?.windowRows ?? standardWindowRows });
  const of = { network: part.network, fromMs: Number(part.starts), toMs: Number(part.ends) };
  const whole = { after: 0n, upTo: build.upTo };
  await computeAgain(steps, projection.rebuild!.recipe!, whole, 'rebuild', of, part.slices);
  await task.assertSameServer();
  await completePart(postgres, key, part);
};
