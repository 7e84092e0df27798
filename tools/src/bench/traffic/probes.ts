import { setTimeout as sleep } from 'node:timers/promises';
import type { WholeService } from '../testbed/whole-service.ts';
import { play } from './plays.ts';

export interface Probes {
  readonly count: number;
  /** Pause before the next one. */
  readonly everyMs: () => number;
}

export interface Seen {
  /** Of each probe in the order sent: from its 202 until a report that holds it was read. */
  readonly freshMs: readonly number[];
  /** Of each look at the report. */
  readonly lookMs: readonly number[];
}

const betweenLooksMs = 20;
const patienceMs = 30_000;

/** A day on which no other play begins. */
const momentOf = (index: number) => new Date(Date.UTC(2026, 6, 1) + index * 1_000).toISOString();

/** Plays sent one by one while one reader looks at the report of them again and again. */
export const probes = async ({ push, page }: WholeService, { count, everyMs }: Probes): Promise<Seen> => {
  const acceptedAt: number[] = [];
  const freshMs: number[] = [];
  const lookMs: number[] = [];

  const send = async () => {
    for (let index = 0; index < count; index++) {
      await push([{ ...play(index, `probe-${index}`), playedAt: momentOf(index) }]);
      acceptedAt.push(performance.now());
      await sleep(everyMs());
    }
  };

  /** Probes become visible in the order of the log, so the first one that is not yet is all there is to look for. */
  const look = async () => {
    while (freshMs.length < count) {
      const first = freshMs.length;
      const began = performance.now();
      const text = await page(`from=${momentOf(first)}&to=${momentOf(count)}&limit=50`);
      const now = performance.now();
      lookMs.push(now - began);
      // What this process has not yet heard the 202 of is taken at the next look.
      while (freshMs.length < acceptedAt.length && text.includes(`"probe-${freshMs.length}"`))
        freshMs.push(now - acceptedAt[freshMs.length]!);
      const waiting = acceptedAt[freshMs.length];
      if (waiting !== undefined && now - waiting > patienceMs)
        throw new Error(`a play was not in the report ${patienceMs} ms after it was accepted`);
      await sleep(betweenLooksMs);
    }
  };

  await Promise.all([send(), look()]);
  return { freshMs, lookMs };
};
