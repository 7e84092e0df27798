import { readEndedSessionIds, endSession, type Queryable } from '../postgres/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Operator sessions that were signed out before they expired, in any process. */
export interface EndedSessions {
  /** Reads from memory, so that operators can sign in and stay signed out while PostgreSQL is unavailable. */
  has(id: string): boolean;
  /**
   * Takes effect in this process at once and in other processes after their next poll. Retries the write while PostgreSQL is
   * unavailable.
   */
  add(id: string, untilMs: number): Promise<void>;
  stop(): void;
}

export interface EndedSessionsOptions {
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Starts polling the list of ended sessions in PostgreSQL. */
export const startEndedSessions = (
  postgres: Queryable,
  { log, intervalMs = 2_000 }: EndedSessionsOptions,
): EndedSessions => {
  /** Sessions ended by this process, with their expiry in ms since 1970. */
  const own = new Map<string, number>();
  const unwritten = new Set<string>();
  let known: ReadonlySet<string> = new Set();
  let [isAway, stopped] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    for (const id of unwritten) {
      await endSession(postgres, id, own.get(id) ?? 0);
      unwritten.delete(id);
    }
  };
  const noted = (work: Promise<void>) =>
    work.then(
      () => void (isAway = false),
      (err: unknown) => {
        if (!isAway && !stopped) log.warn({ err }, 'sessions that were ended cannot be kept; it is tried again');
        isAway = true;
      },
    );
  const look = async () => {
    await write();
    known = new Set(await readEndedSessionIds(postgres));
    for (const [id, untilMs] of own) if (untilMs < Date.now()) own.delete(id);
  };
  const beat = async () => {
    await noted(look());
    if (!stopped) timer = setTimeout(() => void beat(), intervalMs).unref();
  };
  void beat();

  return {
    has: (id) => known.has(id) || own.has(id),
    add(id, untilMs) {
      own.set(id, untilMs);
      unwritten.add(id);
      return noted(write());
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
