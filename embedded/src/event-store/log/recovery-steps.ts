import fs from 'node:fs';
import type { Note } from './damage.ts';
import type { TailCheck } from './recovery.ts';
import type { SealedSegmentRecorder } from './sealed-segment-recorder.ts';
import type { SegmentList } from './segments.ts';
import type { FoundSegment, LogStructure } from './structure.ts';
import { cutTail, saveTail } from './torn-tail.ts';

interface Recovery {
  readonly structure: LogStructure;
  readonly newest: FoundSegment;
  readonly tail: TailCheck;
  readonly segments: SegmentList;
  readonly recorder: SealedSegmentRecorder;
  readonly note: Note;
  readonly writeDurableEnd: () => void;
}

type Step = () => unknown;

/** Lists the steps. Each leaves a log that the next open recovers in the same way, if the process ends after it. */
const listSteps = ({ structure, newest, tail, segments, recorder, note, writeDurableEnd }: Recovery): Step[] => {
  const steps: Step[] = [];
  const { interrupted } = structure;
  if (interrupted !== undefined)
    steps.push(() => {
      fs.rmSync(interrupted, { force: true });
      note('unfinished segment file removed', { file: interrupted });
    });
  for (const { base, fileEnd } of structure.segments.slice(0, -1).filter(({ sealed }) => !sealed)) {
    const segment = segments.segmentAt(base);
    const next = segments.nextOf(segment)!.base;
    if (fileEnd > segment.end) steps.push(() => cutTail(segment, fileEnd, note));
    steps.push(() => recorder.record(segment, next));
  }
  const { last } = segments;
  if (newest.fileEnd > tail.end)
    steps.push(
      // The new segment, which states where the old one ends, exists before the old one is cut. A crash in between loses nothing.
      () => saveTail(last, newest.fileEnd, note),
      () => segments.addSegment(newest.fileEnd),
      () => cutTail(last, newest.fileEnd, note),
      () => recorder.recordLater(last, newest.fileEnd),
    );
  steps.push(writeDurableEnd);
  return steps;
};

/**
 * The part of a recovery that needs room on the disk: removes an unfinished segment file, adds sealed segments to the manifest,
 * saves and cuts torn bytes, and writes the durable end. The log can be read before this is done, and must not be appended to.
 */
export class RecoverySteps {
  readonly #steps: Step[];

  constructor(recovery: Recovery) {
    this.#steps = listSteps(recovery);
  }

  /** Runs the steps that are left. After an error, such as a full disk, the next call repeats the failed step. */
  async run(): Promise<void> {
    for (let step = this.#steps[0]; step; step = this.#steps[0]) {
      await step();
      this.#steps.shift();
    }
  }
}
