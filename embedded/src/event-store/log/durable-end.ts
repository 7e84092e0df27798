import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface DurableEnd {
  /** Log position where the newest segment begins. */
  readonly base: number;
  /** Log position after the last durable frame. */
  readonly end: number;
  /** Number of frames in the newest segment before `end`. */
  readonly frames: number;
}

/** The file contains this signature, base, end and number of frames (f64 each), and CRC-32 (u32). */
const fileMark = 'durable1';
const fileBytes = 36;

export const durableEndPath = (dir: string): string => join(dir, 'durable-end');

export const encodeDurableEnd = ({ base, end, frames }: DurableEnd, bytes = Buffer.alloc(fileBytes)): Buffer => {
  bytes.write(fileMark, 0, 'latin1');
  bytes.writeDoubleLE(base, 8);
  bytes.writeDoubleLE(end, 16);
  bytes.writeDoubleLE(frames, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 32)), 32);
  return bytes;
};

/** After a power failure, the file may have an older content than the log, or no valid content. */
export const readDurableEnd = (dir: string): DurableEnd | 'missing' | 'damaged' => {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(durableEndPath(dir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
  if (bytes.length !== fileBytes) return 'damaged';
  const found = { base: bytes.readDoubleLE(8), end: bytes.readDoubleLE(16), frames: bytes.readDoubleLE(24) };
  return encodeDurableEnd(found).equals(bytes) ? found : 'damaged';
};

/**
 * The file is never synced: the kernel keeps the written bytes if the process is killed. After a power failure, the log's own markers
 * state the durable end (`encodeGroupMarker`).
 */
export class DurableEndFile {
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(fileBytes);

  constructor(dir: string) {
    this.#fd = fs.openSync(durableEndPath(dir), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    fs.fchmodSync(this.#fd, 0o600);
    fs.ftruncateSync(this.#fd, fileBytes);
  }

  write(end: DurableEnd): void {
    fs.writeSync(this.#fd, encodeDurableEnd(end, this.#bytes), 0, fileBytes, 0);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
