/** Ends a turn. Further calls have no effect. */
export type EndTurn = () => void;

export interface Turns {
  /** Waits for a turn of the network. Resolves when the turn begins; the caller must end it. */
  take(network: number): Promise<EndTurn>;
}

/**
 * Lets the jobs of one process take turns, of which at most `maxConcurrent` run at a time. The waiting networks are served round
 * robin, so that many or large files of one network do not delay those of others. The jobs of a network are served in the order of
 * their calls.
 */
export const createTurns = (maxConcurrent: number): Turns => {
  /** The waiting calls by network. The first network is the next one to be served. */
  const waiting = new Map<number, (() => void)[]>();
  let running = 0;

  const beginNext = (): void => {
    while (running < maxConcurrent) {
      const [next] = waiting;
      if (!next) return;
      const [network, calls] = next;
      const begin = calls.shift()!;
      waiting.delete(network);
      if (calls.length > 0) waiting.set(network, calls);
      running += 1;
      begin();
    }
  };

  return {
    take: (network) =>
      new Promise((resolve) => {
        let isEnded = false;
        const end = () => {
          if (isEnded) return;
          isEnded = true;
          running -= 1;
          beginNext();
        };
        const calls = waiting.get(network) ?? [];
        calls.push(() => resolve(end));
        waiting.set(network, calls);
        beginNext();
      }),
  };
};
