import { livenessStates, type Records } from '@popsvc/platform/postgres';
import { createWatch, type Watch } from './watch.ts';

/** A watch that knows what an earlier life kept. */
export const recalled = async (records: Records): Promise<Watch> => {
  const watch = createWatch();
  for await (const state of livenessStates(records)) watch.recall(state);
  return watch;
};
