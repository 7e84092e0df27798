/** Gives a turn back; asking twice is harmless. */
export type ReleasePermit = () => void;

interface Waiting {
  readonly who: string;
  readonly begin: (end: ReleasePermit) => void;
}

export interface QueryLimiter {
  /** Undefined: no turn came in time, or the signal did before. */
  acquire(who: string, signal: AbortSignal): Promise<ReleasePermit | undefined>;
}

/**
 * So many may run at a time, whoever asks; the others wait, and are taken in the order in which they came, first of those of
 * whom the fewest run: one who asks much does not keep out one who asks little.
 */
export const createQueryLimiter = ({
  most,
  patienceMs,
}: {
  readonly most: number;
  readonly patienceMs: number;
}): QueryLimiter => {
  const running = new Map<string, number>();
  const queue: Waiting[] = [];
  let all = 0;

  const next = () => {
    while (all < most && queue.length > 0) {
      const fewest = Math.min(...queue.map(({ who }) => running.get(who) ?? 0));
      const at = queue.findIndex(({ who }) => (running.get(who) ?? 0) === fewest);
      const [{ who, begin }] = queue.splice(at, 1) as [Waiting];
      all += 1;
      running.set(who, fewest + 1);
      let isOver = false;
      begin(() => {
        if (isOver) return;
        isOver = true;
        all -= 1;
        const rest = (running.get(who) ?? 1) - 1;
        if (rest > 0) running.set(who, rest);
        else running.delete(who);
        next();
      });
    }
  };

  return {
    acquire: (who, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        const leave = () => {
          const at = queue.indexOf(waiting);
          if (at >= 0) queue.splice(at, 1);
          done(undefined);
        };
        const timer = setTimeout(leave, patienceMs);
        const done = (end: ReleasePermit | undefined) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          resolve(end);
        };
        const waiting: Waiting = { who, begin: done };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(waiting);
        next();
      }),
  };
};
