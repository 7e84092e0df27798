import { type PrefixesFilter, streamNameFilter } from '@eventstore/db-client';

/** How far the server has looked, as it tells on the way; `onMove` hears of each word. */
export interface Reached {
  position: bigint;
  onMove: () => void;
}

/** A filter on names of streams that has the server say how far it has come, each time it has looked at so many events. */
export const checkpointed = (
  prefixes: readonly string[],
  every: number,
): { readonly filter: PrefixesFilter; readonly reached: Reached } => {
  const reached: Reached = { position: 0n, onMove: () => undefined };
  const filter = streamNameFilter({
    prefixes: [...prefixes],
    maxSearchWindow: every,
    checkpointInterval: 1,
    checkpointReached: (_, { commit }) => {
      reached.position = commit;
      reached.onMove();
    },
  });
  return { filter, reached };
};
