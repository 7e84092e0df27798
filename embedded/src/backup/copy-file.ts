import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface FileContent {
  readonly bytes: number;
  readonly sha256: string;
}

const createMeter = () => {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, content: (): FileContent => ({ bytes, sha256: hash.digest('hex') }) };
};

export const openFile = (path: string, bytes?: number): Readable =>
  bytes === 0 ? Readable.from([]) : createReadStream(path, bytes === undefined ? {} : { end: bytes - 1 });

/** Writes and syncs a new file that only the owner may read. Rejects with EEXIST if the file exists. */
export const writeNewFile = async (path: string, content: Readable): Promise<FileContent> => {
  // Synchronous: during an `await`, `content` could emit an error to which no pipeline listens.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const meter = createMeter();
  try {
    await pipeline(content, meter.stream, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
    throw error;
  }
  return meter.content();
};

export const measureFile = async (path: string): Promise<FileContent> => {
  const meter = createMeter();
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(path), meter.stream, discard);
  return meter.content();
};
