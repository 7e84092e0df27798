import fs from 'node:fs';
import { replaceFile } from '@popsvc/platform/runtime';
import type { Note } from './damage.ts';
import type { TailCheck } from './recovery.ts';
import { SegmentFile } from './scan.ts';
import type { Segment } from './segments.ts';

/**
 * Writes the bytes from the durable end to the end of the last whole append again, and syncs them. A sync alone could succeed without
 * writing them: after a failed sync, the kernel takes the pages for clean.
 */
export const makeDurable = async (segment: Segment, { durableEnd, end }: TailCheck): Promise<void> => {
  if (durableEnd < end) await segment.write(await segment.read(durableEnd, end - durableEnd), durableEnd);
  await segment.sync();
};

/**
 * Copies the torn bytes (an incomplete append) after a segment's end into a file next to it. An operator may need them if a damaged disk
 * has caused them. Does nothing if this file exists, because an earlier start has written it.
 */
export const saveTail = async ({ path, base, end }: Segment, fileEnd: number, note: Note): Promise<void> => {
  const saved = `${path}.cut-${end}`;
  if (fs.existsSync(saved)) return;
  const file = new SegmentFile(path, base);
  let bytes: Buffer;
  try {
    bytes = file.read(end, fileEnd - end);
  } finally {
    file.close();
  }
  await replaceFile(saved, bytes);
  note('torn tail cut', { file: path, position: end, bytes: bytes.length, saved });
};

/** Saves the torn bytes after a segment's end in a file, then removes them from the segment. */
export const cutTail = async (segment: Segment, fileEnd: number, note: Note): Promise<void> => {
  await saveTail(segment, fileEnd, note);
  await segment.truncateAt(segment.end);
};
