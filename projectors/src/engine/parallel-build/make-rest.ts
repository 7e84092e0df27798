import { parkingStream } from '@popsvc/contracts/events';
import { completePart } from '@popsvc/platform/postgres';
import { standardWindowRows } from '../windows.sql.ts';
import { openBatchSession } from '../write-batch.ts';
import { applyOrDecide, readLogRange } from '../logged.ts';
import type { PartTask } from './task.ts';
import { cutIntoWindows } from './windows.sql.ts';
import { writeFacts } from '../write-facts.ts';

/**
 * What needs all facts and is not cut by time: places and thresholds as the log leaves them, as if it had told them all in one
 * batch; plays of events that waited; and which windows there are to compute.
 */
export const completeFacts = async (task: PartTask, signal: AbortSignal): Promise<void> => {
  const { store, projection, part, reader, postgres, key, limits, silenceTimeout } = task;
  const recipe = projection.parallelBuild?.recompute;
  if (!recipe) {
    await completePart(postgres, key, part);
    return;
  }
  const { fold, intake } = reader.createStateFold(signal);
  const prefixes = [...projection.recalls, parkingStream(projection.name)];
  const stretch = { after: 0n, upTo: part.ends, prefixes };
  for await (const event of readLogRange(store, stretch, signal, silenceTimeout)) await applyOrDecide(intake, event);
  signal.throwIfAborted();
  const { inserts, releaseWaiting } = fold.seal({ after: 0n, upTo: part.ends });
  await writeFacts(task, inserts);
  const steps = openBatchSession({ ...task, maxWindowRows: limits?.maxWindowRows ?? standardWindowRows });
  await releaseWaiting?.(steps);
  const windows = await cutIntoWindows(steps, recipe);
  await task.assertSameServer();
  await completePart(postgres, key, part, windows);
};
