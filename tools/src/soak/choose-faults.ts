import { chance } from '../rig/chance.ts';

/** What `npm start` runs, each a process that its supervisor starts again. */
export const parts = [
  'command-api',
  'query-api',
  'projectors',
  'worker',
  'event-store',
  'clickhouse',
  'postgres',
] as const;
export type PartName = (typeof parts)[number];

/** Which part is killed, or all of them at once. */
export interface PlannedFault {
  readonly atMs: number;
  readonly what: PartName | 'everything';
}

const minuteMs = 60_000;
const [shortestMs, longestMs] = [15_000, 40_000];
/** Of the run: the beginning without faults, and the end, in which lives become long enough to be judged. */
const [firstShare, lastShare] = [0.08, 0.75];
/** So often it is everything. */
const everythingEvery = 9;

/** When what is killed, from the beginning of the run: each part in turn, in another order each turn. */
export const chooseFaults = (seed: number, minutes: number): readonly PlannedFault[] => {
  const { next, below } = chance(seed);
  const planned: PlannedFault[] = [];
  let turn: PartName[] = [];
  const [from, to] = [minutes * minuteMs * firstShare, minutes * minuteMs * lastShare];
  for (let atMs = from; atMs <= to; atMs += shortestMs + next() * (longestMs - shortestMs)) {
    const isEverything = planned.length % everythingEvery === 3;
    if (turn.length === 0) turn = [...parts];
    planned.push({
      atMs: Math.round(atMs),
      what: isEverything ? 'everything' : turn.splice(below(turn.length), 1)[0]!,
    });
  }
  return planned;
};
