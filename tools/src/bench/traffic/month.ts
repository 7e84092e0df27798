import type { DetectionRecorded, PopRecorded } from '@popsvc/contracts/events';
import { detection, play } from './plays.ts';
import { screens } from './registry.ts';

/** October 2026: its clocks are put back in it. */
export const monthFromMs = Date.UTC(2026, 9, 1);
const monthMs = 31 * 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
export const monthWindow = { from: iso(monthFromMs), to: iso(monthFromMs + monthMs) } as const;

export interface Month {
  readonly plays: number;
  /** Of the report: one for each person at a play, and one for a play that nobody saw. */
  readonly rows: number;
  readonly play: (index: number) => PopRecorded;
  /** Who was in front of it: nobody, one, or two. */
  readonly people: (index: number) => readonly DetectionRecorded[];
}

/** A month of fifty screens; the number of rows is the next below that fits. */
export const createMonth = (wantedRows: number): Month => {
  const plays = Math.floor(wantedRows / 4) * 3;
  const everyMs = Math.floor(monthMs / Math.ceil(plays / screens));
  const startMs = (index: number) => monthFromMs + Math.floor(index / screens) * everyMs + (index % screens) * 7;
  const person = (index: number, number: number, [from, to]: readonly [number, number], looks: boolean) => {
    const at = (ms: number) => iso(startMs(index) + ms);
    const watches = looks ? [{ startedAt: at(from + 500), endedAt: at(to - 500) }] : [];
    const times = { startedAt: at(from), endedAt: at(to), watches };
    return {
      ...detection(index),
      detectionId: `detection-${index}-${number}`,
      watcherId: index * 2 + number,
      ...times,
    };
  };
  return {
    plays,
    rows: (plays / 3) * 4,
    play: (index) => ({ ...play(index), playedAt: iso(startMs(index)) }),
    people: (index) => {
      if (index % 3 === 0) return [];
      // Most stand there for a while and look; some are there from before until after it and watch it all; others only pass.
      const first = person(index, 0, index % 7 === 0 ? [-2_000, 14_000] : [2_000, 8_000], true);
      return index % 3 === 1 ? [first] : [first, person(index, 1, [-4_000, 1_000 + (index % 5) * 100], false)];
    },
  };
};

/** The month in the order in which it happened, in pieces of so many plays. */
export function* splitMonth({ plays, play: playAt, people }: Month, size: number) {
  for (let first = 0; first < plays; first += size) {
    const indexes = Array.from({ length: Math.min(size, plays - first) }, (_, at) => first + at);
    yield { plays: indexes.map(playAt), people: indexes.flatMap(people) };
  }
}
