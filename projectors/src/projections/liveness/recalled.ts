import { readLivenessStates, type Postgres } from '@popsvc/platform/postgres';
import { createWatch, type Watch } from './watch.ts';

/** A watch that knows what an earlier life kept. */
export const recalled = async (postgres: Postgres): Promise<Watch> => {
  const watch = createWatch();
  for await (const state of readLivenessStates(postgres)) watch.recall(state);
  return watch;
};
