import type { EventStore } from '@popsvc/platform/event-store';
import type { CheckpointStore, LeaseKey } from '@popsvc/platform/postgres';

/**
 * Where a generation stands in this log. One that was projected from another log, or from more of it than there is, stands
 * nowhere: then it is the end of the log, and what is built beside it is the cure.
 */
export const readValidPosition = async (
  { store, checkpoints }: { readonly store: EventStore; readonly checkpoints: CheckpointStore },
  key: LeaseKey,
): Promise<bigint> => {
  const [{ position, logId }, identity, head] = await Promise.all([
    checkpoints.read(key),
    store.readLogId(),
    store.readHeadPosition(),
  ]);
  const isOfThisLog = (logId === '' || logId === identity) && position <= head;
  return isOfThisLog ? position : head;
};
