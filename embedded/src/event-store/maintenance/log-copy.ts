import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@popsvc/platform/runtime';
import { type DurableEnd, durableEndPath, encodeDurableEnd, readDurableEnd } from '../log/durable-end.ts';
import { encodeManifest, manifestPath, readManifest } from '../log/manifest.ts';
import { listSegmentBases, segmentPath } from '../log/segments.ts';

/** The first `bytes` bytes of the file at `path` (default: all), or new content. */
export type LogCopyFile =
  | { readonly name: string; readonly path: string; readonly bytes?: number }
  | { readonly name: string; readonly content: Buffer };

export interface LogCopy {
  /** Log position after the last record. The copy contains every event that was acknowledged before `planLogCopy` began. */
  readonly end: number;
  readonly files: readonly LogCopyFile[];
}

/** The node overwrites the file in place, so a read can see an incomplete write. */
const readEnd = async (dir: string): Promise<DurableEnd> => {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const end = readDurableEnd(dir);
    if (typeof end === 'object') return end;
    await sleep(50);
  }
  throw new OperatorError(
    `${durableEndPath(dir)} is missing or damaged: run popsvc log verify, and restart the service, which writes it again`,
  );
};

/** The copy of a running node's log is consistent, because the node never changes bytes before the durable end. */
export const planLogCopy = async (dir: string): Promise<LogCopy> => {
  const durable = await readEnd(dir);
  const sealed = readManifest(dir).entries.filter(({ base }) => base < durable.base);
  const bases = listSegmentBases(dir).filter((base) => base <= durable.base);
  const segments = bases.map((base): LogCopyFile => {
    const path = segmentPath(dir, base);
    return { name: basename(path), path, ...(base === durable.base && { bytes: durable.end - base }) };
  });
  return {
    end: durable.end,
    files: [
      ...segments,
      ...(sealed.length > 0
        ? [{ name: basename(manifestPath(dir)), content: Buffer.from(encodeManifest(sealed), 'latin1') }]
        : []),
      { name: basename(durableEndPath(dir)), content: encodeDurableEnd(durable) },
    ],
  };
};
