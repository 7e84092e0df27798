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

/** Opens the first `bytes` of a file, by default the whole file. */
export const openFile = (path: string, bytes?: number): Readable =>
  bytes === 0 ? Readable.from([]) : createReadStream(path, bytes === undefined ? {} : { end: bytes - 1 });

/**
 * Writes and syncs a new file, and creates the folders above it that do not exist. Only the owner may read what it creates. Rejects with
 * EEXIST if the file exists. Removes the file after any other error.
 */
export const writeNewFile = async (path: string, content: Readable): Promise<FileContent> => {
  // Synchronous: while this function waited, `content` could emit an error that the pipeline does not receive yet.
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
