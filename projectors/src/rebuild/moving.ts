/** Something that changes now and then, for whoever waits until it stands as they need it. */
export interface Moving {
  moved(): void;
  /** False: the signal came first. */
  until(holds: () => boolean, signal: AbortSignal): Promise<boolean>;
}

export const moving = (): Moving => {
  const looks = new Set<() => void>();
  const moved = () => {
    for (const look of [...looks]) look();
  };
  return {
    moved,
    until: (holds, signal) =>
      new Promise((resolve) => {
        const look = () => {
          const isSo = holds();
          if (!isSo && !signal.aborted) return;
          looks.delete(look);
          signal.removeEventListener('abort', look);
          resolve(isSo);
        };
        looks.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
  };
};
