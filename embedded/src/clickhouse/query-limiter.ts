/** Releases a permit. Further calls have no effect. */
export type ReleasePermit = () => void;

interface WaitingQuery {
  readonly user: string;
  readonly grant: (release: ReleasePermit) => void;
}

export interface QueryLimiter {
  /** Waits for a permit; resolves with undefined after the queue timeout or when the signal is aborted. */
  acquire(user: string, signal: AbortSignal): Promise<ReleasePermit | undefined>;
}

export interface QueryLimits {
  /** Maximum number of concurrent queries across all users. */
  readonly maxRunning: number;
  readonly queueTimeoutMs: number;
}

/**
 * Limits the number of concurrent queries across all users. A free permit goes to the waiting query whose user has the fewest
 * running queries. If there are several such queries, the oldest gets the permit. A user with many queries therefore does not block
 * other users.
 */
export const createQueryLimiter = ({ maxRunning, queueTimeoutMs }: QueryLimits): QueryLimiter => {
  const runningByUser = new Map<string, number>();
  const queue: WaitingQuery[] = [];
  let running = 0;

  const grantNext = () => {
    while (running < maxRunning && queue.length > 0) {
      const fewest = Math.min(...queue.map(({ user }) => runningByUser.get(user) ?? 0));
      const index = queue.findIndex(({ user }) => (runningByUser.get(user) ?? 0) === fewest);
      const [{ user, grant }] = queue.splice(index, 1) as [WaitingQuery];
      running += 1;
      runningByUser.set(user, fewest + 1);
      let isReleased = false;
      grant(() => {
        if (isReleased) return;
        isReleased = true;
        running -= 1;
        const remaining = (runningByUser.get(user) ?? 1) - 1;
        if (remaining > 0) runningByUser.set(user, remaining);
        else runningByUser.delete(user);
        grantNext();
      });
    }
  };

  return {
    acquire: (user, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        const giveUp = () => {
          const index = queue.indexOf(waiting);
          if (index >= 0) queue.splice(index, 1);
          finish(undefined);
        };
        const timer = setTimeout(giveUp, queueTimeoutMs);
        const finish = (release: ReleasePermit | undefined) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          resolve(release);
        };
        const waiting: WaitingQuery = { user, grant: finish };
        signal.addEventListener('abort', giveUp, { once: true });
        queue.push(waiting);
        grantNext();
      }),
  };
};
