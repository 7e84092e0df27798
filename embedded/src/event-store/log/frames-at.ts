import { type Frame, claimedLength, wholeLength } from './frame.ts';
import { DamagedLog } from './page.ts';
import { type RecentTail } from './recent-tail.ts';
import { type Segment } from './segment.ts';

/** Two frames closer than this are read in one go. */
const joinBytes = 16 * 1024;
/** Read behind the last known frame of a run, whose length nobody knows before. */
const guessBytes = 4 * 1024;

interface Run {
  readonly segment: Segment;
  readonly positions: number[];
}

const runsOf = (positions: readonly number[], holding: (position: number) => Segment): Run[] => {
  const runs: Run[] = [];
  for (const position of positions) {
    const run = runs.at(-1);
    const last = run?.positions.at(-1);
    const near = last !== undefined && Math.abs(position - last) < joinBytes;
    if (run && near && holding(position) === run.segment) run.positions.push(position);
    else runs.push({ segment: holding(position), positions: [position] });
  }
  return runs;
};

const readRun = async ({ segment, positions }: Run): Promise<Frame[]> => {
  const start = Math.min(...positions);
  const last = Math.max(...positions);
  let bytes = await segment.read(start, last - start + guessBytes);
  const needed = last - start + claimedLength(bytes, last - start);
  if (needed > bytes.length) bytes = await segment.read(start, needed);
  return positions.map((position) => {
    if (wholeLength(bytes, position - start, bytes.length) === 0) throw new DamagedLog(segment, position);
    return { bytes, at: position - start };
  });
};

/** The frames at the given positions, from memory when all of them are recent, else from the disk in few reads. */
export const framesAt = (
  positions: readonly number[],
  tail: RecentTail,
  holding: (position: number) => Segment,
): Frame[] | Promise<Frame[]> => {
  const recent: Frame[] = [];
  for (const position of positions) {
    const page = tail.from(position);
    if (!page) break;
    recent.push({ bytes: page.bytes, at: page.from });
  }
  if (recent.length === positions.length) return recent;
  return Promise.all(runsOf(positions, holding).map(readRun)).then((runs) => runs.flat());
};
