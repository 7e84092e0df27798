import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Up to where the log is durable. */
export interface DurableEnd {
  /** Base of the newest segment. */
  readonly base: number;
  /** Log position after the last durable frame. */
  readonly end: number;
  /** Number of frames in the newest segment before `end`. */
  readonly frames: number;
}

/** The file contains a signature (`fileMark`), base, end and number of frames (f64 each), and CRC-32 (u32). */
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

/** Reads the file; `missing` or `damaged` if it has no valid content. A power failure can leave an older content, or none. */
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
 * Writes the file in place after each sync of the log. The file itself is not synced. If the process is killed, the kernel keeps the
 * bytes. After a power failure, the markers of later groups in the log state the durable end (`encodeGroupMarker`).
 */
export class DurableEndFile {
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(fileBytes);

  constructor(dir: string) {
    this.#fd = fs.openSync(durableEndPath(dir), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    fs.fchmodSync(this.#fd, 0o600);
    fs.ftruncateSync(this.#fd, fileBytes);
  }

  /** Does not wait for the disk: the bytes go to the page cache. */
  write(end: DurableEnd): void {
    fs.writeSync(this.#fd, encodeDurableEnd(end, this.#bytes), 0, fileBytes, 0);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
