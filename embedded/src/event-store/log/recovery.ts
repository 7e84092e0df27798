import type { Damage } from './damage.ts';
import type { DurableEnd } from './durable-end.ts';
import { endOfAppendFlag, groupFlag, readFlags, readMarkedDurableEnd } from './frames.ts';
import { isEvent, scanFrames, SegmentFile } from './scan.ts';
import { segmentHeaderBytes } from './segments.ts';
import type { FoundSegment } from './structure.ts';

export interface TailCheck {
  /** Position after the last whole append before any damage. */
  readonly end: number;
  /** Position after the last whole append, even if damage precedes it. */
  readonly lastWholeEnd: number;
  readonly frames: number;
  /** Position up to which the log is known to have been durable, even if it is damaged now. */
  readonly durableEnd: number;
  readonly damages: readonly Damage[];
}

/**
 * Invalid bytes before the durable end are damage, because they were acknowledged. Invalid bytes after the durable end are the rest of
 * an append that a crash interrupted.
 */
export const checkTail = (segment: FoundSegment, durable: DurableEnd | undefined): TailCheck => {
  const known = durable?.base === segment.base ? durable : undefined;
  const first = segment.base + segmentHeaderBytes;
  const file = new SegmentFile(segment.path, segment.base);
  let wholeEnd = first;
  let lastWholeEnd = first;
  let frames = 0;
  let wholeFrames = 0;
  let framesAtDurableEnd = known?.end === first ? 0 : undefined;
  let durableEnd = Math.max(first, known?.end ?? 0);
  let damagedAt: number | undefined;
  let eventsAfter = 0;
  try {
    for (const scanned of scanFrames(file, first, segment.fileEnd)) {
      if (scanned.is === 'damaged') {
        damagedAt ??= scanned.from;
        continue;
      }
      const { frame, position, length } = scanned;
      const flags = readFlags(frame.bytes, frame.at);
      if (flags & groupFlag) durableEnd = Math.max(durableEnd, readMarkedDurableEnd(frame.bytes, frame.at));
      if (flags & endOfAppendFlag) lastWholeEnd = position + length;
      if (damagedAt !== undefined) {
        if (isEvent(frame)) eventsAfter += 1;
        continue;
      }
      frames += 1;
      if (position + length === known?.end) framesAtDurableEnd = frames;
      if (!(flags & endOfAppendFlag)) continue;
      wholeEnd = position + length;
      wholeFrames = frames;
    }
  } finally {
    file.close();
  }
  const damages: Damage[] = [];
  if (durableEnd > wholeEnd && segment.fileEnd >= durableEnd)
    damages.push({
      file: segment.path,
      position: damagedAt ?? wholeEnd,
      what: `no whole record there, but records were acknowledged up to position ${durableEnd}`,
      eventsAfter,
    });
  else if (known && durableEnd <= wholeEnd && framesAtDurableEnd !== known.frames)
    damages.push({
      file: segment.path,
      position: segment.base,
      what: `${framesAtDurableEnd ?? 'no'} records end at position ${known.end}, but ${known.frames} were stored`,
    });
  return { end: wholeEnd, lastWholeEnd, frames: wholeFrames, durableEnd, damages };
};
