import type { EventStore } from '@popsvc/platform/event-store';
import type { Checkpoint, LeaseKey } from '@popsvc/platform/postgres';

/** What was made so far was made of another log, or of more of it than there is: nothing follows from where it stands. */
export class LogMismatch extends Error {
  override readonly name = 'AnotherLog';
}

/** The log that is followed: whose it is, and where it ends. */
export interface LogIdentity {
  readonly logId: string;
  readonly head: bigint;
}

/** Throws when a position that belongs to a log is none of this one. `logId` empty: it was never written down. */
export const requireSameLog = (
  { projection, generation }: LeaseKey,
  { position, logId }: Pick<Checkpoint, 'position' | 'logId'>,
  here: LogIdentity,
): void => {
  if (logId !== '' && logId !== here.logId)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected from another log (${logId}, this is ${here.logId || 'empty'}); rebuild it`,
    );
  if (position > here.head)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected up to ${position}, and the log ends at ${here.head}: it was restored from an older copy; rebuild it`,
    );
};

export const readLogIdentity = async (
  store: Pick<EventStore, 'readLogId' | 'readHeadPosition'>,
): Promise<LogIdentity> => {
  const [logId, head] = await Promise.all([store.readLogId(), store.readHeadPosition()]);
  return { logId, head };
};
