/** Whether somebody may be turned away now, because a part was killed. */
export interface Weather {
  /** From a kill until a while after the service is whole again. */
  readonly isRough: () => boolean;
  /** Whether it was rough at any time since then. */
  readonly wasRoughSince: (atMs: number) => boolean;
  /** Does it in rough weather; resolves once what it does is done. */
  readonly roughly: (work: () => Promise<void>) => Promise<void>;
}

/** So long breakers, pools and clients may take to believe that it is whole. */
const lingersMs = 15_000;

export const openWeather = (now: () => number = Date.now): Weather => {
  let working = 0;
  let endedMs = -Infinity;
  const isRough = () => working > 0 || now() - endedMs < lingersMs;
  return {
    isRough,
    wasRoughSince: (atMs) => isRough() || atMs - endedMs < lingersMs,
    async roughly(work) {
      working += 1;
      try {
        await work();
      } finally {
        working -= 1;
        endedMs = now();
      }
    },
  };
};
