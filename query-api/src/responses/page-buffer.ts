/** Maximum number of bytes in buffers that wait to be used again. */
const maxFreeBytes = 32 << 20;
const leastBytes = 256 << 10;

const free: Buffer[] = [];

const take = (bytes: number): Buffer => {
  const index = free.findIndex(({ length }) => length >= bytes);
  return index < 0 ? Buffer.allocUnsafeSlow(Math.max(bytes, leastBytes)) : free.splice(index, 1)[0]!;
};

const giveBack = (buffer: Buffer): void => {
  if (free.reduce((sum, { length }) => sum + length, buffer.length) <= maxFreeBytes) free.push(buffer);
};

/**
 * Collects the text of a response in UTF-8. Its memory is used again after `release`: V8 collects all garbage more often if each response
 * has a buffer of its own, and the kernel has to clear its memory.
 */
export interface PageBuffer {
  /** Removes what was written after this many bytes. */
  truncate: (length: number) => void;
  write: (text: string) => void;
  /** Returns what was written. It is valid until `release`. */
  content: () => Buffer;
  release: () => void;
}

/** `bytes`: how much is expected. */
export const openPageBuffer = (bytes: number): PageBuffer => {
  let buffer = take(bytes);
  let length = 0;
  const reserve = (more: number) => {
    if (length + more <= buffer.length) return;
    const grown = take(Math.max(2 * buffer.length, length + more));
    buffer.copy(grown, 0, 0, length);
    giveBack(buffer);
    buffer = grown;
  };
  return {
    truncate(to) {
      length = to;
    },
    write(text) {
      // A character of a string has at most three bytes in UTF-8.
      reserve(3 * text.length);
      length += buffer.write(text, length, 'utf8');
    },
    content: () => buffer.subarray(0, length),
    release: () => giveBack(buffer),
  };
};
