import { readEndedSessionIds, endSession, type Queryable } from '../postgres/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Sessions that were ended before their time, in any process. */
export interface EndedSessions {
  /** From memory: who looks after a service that is half down has to be let in, or kept out, without PostgreSQL. */
  has(id: string): boolean;
  /** In force here at once, and in other processes some seconds later. While PostgreSQL is away it is written as soon as that is back. */
  add(id: string, untilMs: number): Promise<void>;
  stop(): void;
}

export interface EndedSessionsOptions {
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Keeps up with the list in PostgreSQL. */
export const startEndedSessions = (
  postgres: Queryable,
  { log, intervalMs = 2_000 }: EndedSessionsOptions,
): EndedSessions => {
  /** Ended by this process: when they would have ended by themselves, ms since 1970. */
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
