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

/** If the process ends between two steps, the next open recovers the log with the same result. */
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
      // The header of the new segment states where the old one ends. The old one is cut only after that, so a crash loses nothing.
      () => saveTail(last, newest.fileEnd, note),
      () => segments.addSegment(newest.fileEnd),
      () => cutTail(last, newest.fileEnd, note),
      () => recorder.recordLater(last, newest.fileEnd),
    );
  steps.push(writeDurableEnd);
  return steps;
};

/** Until all steps are done, the log accepts reads, but no appends. */
export class RecoverySteps {
  readonly #steps: Step[];

  constructor(recovery: Recovery) {
    this.#steps = listSteps(recovery);
  }

  /** After an error, such as a full disk, the next call repeats the failed step. */
  async run(): Promise<void> {
    for (let step = this.#steps[0]; step; step = this.#steps[0]) {
      await step();
      this.#steps.shift();
    }
  }
}
