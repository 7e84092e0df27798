import { setTimeout as sleep } from 'node:timers/promises';
import { Away } from './ask-reports.ts';
import type { Reading } from './readings.ts';

export interface Readers {
  /** How often each read to the end, and was turned away where that may be. */
  readonly reads: Readonly<Record<string, { readonly done: number; readonly away: number }>>;
  stop(): Promise<void>;
}

/** Each reads again and again, with a pause between. */
export const startReaders = (
  readings: Readonly<Record<string, Reading>>,
  pauseMs: number,
  complain: (text: string) => void,
): Readers => {
  const reads: Record<string, { done: number; away: number }> = {};
  const end = new AbortController();
  const again = async (name: string, read: Reading) => {
    const count = (reads[name] = { done: 0, away: 0 });
    while (!end.signal.aborted) {
      try {
        for (const wrong of await read()) complain(`${name}: ${wrong}`);
        count.done += 1;
      } catch (error) {
        if (error instanceof Away) count.away += 1;
        else complain(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  const reading = Object.entries(readings).map(([name, read]) => again(name, read));
  return {
    reads,
    async stop() {
      end.abort();
      await Promise.all(reading);
    },
  };
};
