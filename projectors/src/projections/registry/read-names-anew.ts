import { reloadDictionaries } from '@popsvc/read-models/schema';
import type { Steps } from '../../engine/projection.ts';

const liveSql = `SELECT generation FROM progress_live WHERE projection = 'registry'`;

/**
 * After a batch of the registry: names are looked up in what readers see, so what a generation holds that is built or kept beside
 * it changes none of them. Who has readers change over has them read anew then.
 */
export const readNamesAnew = async (steps: Steps): Promise<void> => {
  const [live] = await steps.rows<{ generation: number }>(liveSql);
  if (live === undefined || live.generation === steps.generation) await reloadDictionaries(steps);
};
