import { closeFrame, endOfAppend, frameHeaderBytes, frameTrailerBytes, noEvent } from '../log/index.ts';
import { createdEntry } from './metadata-entries.ts';
import { type EventRecord, type Sizes, sizesOf, writeRecord } from './recorded-event.ts';

export interface EncodedAppend {
  readonly frames: Buffer;
  readonly positions: readonly number[];
}

/**
 * The frames of one append that stands at `position`. Each message is the finished ReadResp: a read copies it and
 * encodes nothing. An append without records leaves a frame without an event.
 */
export const encodeAppend = (records: readonly EventRecord[], position: number, createdMs: number): EncodedAppend => {
  const created = createdEntry(createdMs);
  const positions: number[] = [];
  const sizes: Sizes[] = [];
  let end = position;
  for (const record of records) {
    const size = sizesOf(record, created, end);
    positions.push(end);
    sizes.push(size);
    end += frameHeaderBytes + size.message + frameTrailerBytes;
  }
  if (records.length === 0) {
    const frames = Buffer.alloc(frameHeaderBytes + frameTrailerBytes);
    closeFrame(frames, 0, 0, { streamNo: 0, flags: endOfAppend | noEvent, idAt: 0, typeAt: 0, createdMs, revision: 0 });
    return { frames, positions: [position] };
  }
  const frames = Buffer.allocUnsafeSlow(end - position);
  records.forEach((record, index) => {
    const at = positions[index]!;
    const last = index === records.length - 1;
    writeRecord(frames, at - position, { record, position: at, last, createdMs, created, sizes: sizes[index]! });
  });
  return { frames, positions };
};
