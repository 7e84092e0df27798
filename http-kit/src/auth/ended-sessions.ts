import { readEndedSessionIds, endSession, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { startPolling } from './polling.ts';

/** The operator sessions that ended before their expiry, in any process. */
export interface EndedSessions {
  /** Reads memory only, so it works while PostgreSQL is unavailable. */
  has(id: string): boolean;
  /**
   * Ends a session in this process at once, and in others at their next poll after the write to PostgreSQL. A failed write is retried.
   * `untilMs`: expiry of the session, in ms since 1970.
   */
  add(id: string, untilMs: number): Promise<void>;
  stop(): void;
}

export interface EndedSessionsOptions {
  readonly log: Log;
  readonly intervalMs?: number;
}

export const startEndedSessions = (
  postgres: Queryable,
  { log, intervalMs = 2_000 }: EndedSessionsOptions,
): EndedSessions => {
  /** Expiry in ms since 1970, by session id. */
  const endedHere = new Map<string, number>();
  const unwritten = new Set<string>();
  let known: ReadonlySet<string> = new Set();

  const writePending = async () => {
    for (const id of unwritten) {
      await endSession(postgres, id, endedHere.get(id) ?? 0);
      unwritten.delete(id);
    }
  };
  const poll = async () => {
    await writePending();
    known = new Set(await readEndedSessionIds(postgres));
    for (const [id, untilMs] of endedHere) if (untilMs < Date.now()) endedHere.delete(id);
  };
  const failure = 'failed to synchronize ended sessions; retrying';
  const { attempt, stop } = startPolling(poll, { intervalMs, log, failure });

  return {
    has: (id) => known.has(id) || endedHere.has(id),
    add(id, untilMs) {
      endedHere.set(id, untilMs);
      unwritten.add(id);
      return attempt(writePending());
    },
    stop,
  };
};
