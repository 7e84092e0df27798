/** Something that changes now and then, for whoever waits until it stands as they need it. */
export interface Condition {
  notify(): void;
  /** Resolves with the signal, too. */
  waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void>;
}

export const createCondition = (): Condition => {
  const looks = new Set<() => void>();
  const moved = () => {
    for (const look of [...looks]) look();
  };
  return {
    notify: moved,
    waitUntil: (holds, signal) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds() && !signal.aborted) return;
          looks.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        };
        looks.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
  };
};
