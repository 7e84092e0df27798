import type { RecordedDetection, RecordedPlay } from '@popsvc/contracts/events';
import { detection, play } from './plays.ts';
import { screens } from './network.ts';

/** Start of October 2026. Daylight saving time ends in this month. */
export const monthFromMs = Date.UTC(2026, 9, 1);
export const monthMs = 31 * 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
export const monthWindow = { from: iso(monthFromMs), to: iso(monthFromMs + monthMs) } as const;

export interface Month {
  readonly plays: number;
  /** Number of rows in the report: one for each person present during a play, and one for each play without people. */
  readonly rows: number;
  readonly play: (index: number) => RecordedPlay;
  /** Returns the detections of people during the play with this index: zero, one or two. */
  readonly people: (index: number) => readonly RecordedDetection[];
}

/** Generates a month of plays and detections on fifty screens. A report on this month has at most `wantedRows` rows. */
export const month = (wantedRows: number): Month => {
  const plays = Math.floor(wantedRows / 4) * 3;
  const everyMs = Math.floor(monthMs / Math.ceil(plays / screens));
  const startMs = (index: number) => monthFromMs + Math.floor(index / screens) * everyMs + (index % screens) * 7;
  const person = (index: number, number: number, [from, to]: readonly [number, number], isWatching: boolean) => {
    const at = (ms: number) => iso(startMs(index) + ms);
    const watches = isWatching ? [{ startedAt: at(from + 500), endedAt: at(to - 500) }] : [];
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
      // The first person usually watches part of the play; one in seven watches all of it. A second person passes by without
      // watching.
      const first = person(index, 0, index % 7 === 0 ? [-2_000, 14_000] : [2_000, 8_000], true);
      return index % 3 === 1 ? [first] : [first, person(index, 1, [-4_000, 1_000 + (index % 5) * 100], false)];
    },
  };
};

/** Yields the plays of the month and their detections in batches of `size` plays, in the chronological order of the plays. */
export function* monthBatches({ plays, play: playAt, people }: Month, size: number) {
  for (let first = 0; first < plays; first += size) {
    const indexes = Array.from({ length: Math.min(size, plays - first) }, (_, at) => first + at);
    yield { plays: indexes.map(playAt), people: indexes.flatMap(people) };
  }
}
