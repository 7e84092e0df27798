import { parkingStream } from '@popsvc/contracts/events';
import { completePart } from '@popsvc/platform/postgres';
import { standardWindowRows } from '../windows.sql.ts';
import { stepsOf } from '../write-batch.ts';
import { letIn, logged } from '../logged.ts';
import type { Task } from './task.ts';
import { wholeInWindows } from './windows.sql.ts';
import { writeFacts } from '../write-facts.ts';

/**
 * What needs all facts and is not cut by time: places and thresholds as the log leaves them, as if it had told them all in one
 * batch; plays of events that waited; and which windows there are to compute.
 */
export const makeRest = async (task: Task, signal: AbortSignal): Promise<void> => {
  const { store, projection, part, reader, postgres, key, limits, patience } = task;
  const recipe = projection.rebuild?.recipe;
  if (!recipe) {
    await completePart(postgres, key, part);
    return;
  }
  const { fold, intake } = reader.ofState(signal);
  const prefixes = [...projection.recalls, parkingStream(projection.name)];
  const stretch = { after: 0n, upTo: part.ends, prefixes };
  for await (const event of logged(store, stretch, signal, patience)) await letIn(intake, event);
  signal.throwIfAborted();
  const { inserts, release } = fold.seal({ after: 0n, upTo: part.ends });
  await writeFacts(task, inserts);
  const steps = stepsOf({ ...task, windowRows: limits?.windowRows ?? standardWindowRows });
  await release?.(steps);
  const windows = await wholeInWindows(steps, recipe);
  await task.assertSameServer();
  await completePart(postgres, key, part, windows);
};
