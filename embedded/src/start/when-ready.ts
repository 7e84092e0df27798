import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 60_000;

/** Waits until `/readyz` of every service says yes; throws with what the last one said no for. */
export const whenReady = async (bases: readonly string[]): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  for (const base of bases)
    for (;;) {
      const answer = await fetch(`${base}/readyz`).catch((error: unknown) => error as Error);
      if (answer instanceof Response && answer.ok) break;
      if (Date.now() > deadline) {
        const why = answer instanceof Response ? await answer.text() : answer.message;
        throw new Error(`${base} did not become ready: ${why}`);
      }
      await sleep(100);
    }
};
