import fs from 'node:fs';
import { replaceFile } from '@popsvc/platform/runtime';
import type { Note } from './damage.ts';
import type { TailCheck } from './recovery.ts';
import { SegmentFile } from './scan.ts';
import type { Segment } from './segments.ts';

/**
 * Writes the bytes after `durableEnd` again. A sync alone could succeed without writing them, because after a failed sync, the kernel takes
 * the pages for clean.
 */
export const makeDurable = async (segment: Segment, { durableEnd, end }: TailCheck): Promise<void> => {
  if (durableEnd < end) await segment.write(await segment.read(durableEnd, end - durableEnd), durableEnd);
  await segment.sync();
};

/** An operator may need the torn bytes if a damaged disk has caused them. If the file exists, an earlier call has written it. */
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

export const cutTail = async (segment: Segment, fileEnd: number, note: Note): Promise<void> => {
  await saveTail(segment, fileEnd, note);
  await segment.truncateAt(segment.end);
};
