/** Buffers of at most this many bytes are used again; a page of 1,000 rows has 1.7 MB. */
const maxPooledBytes = 2 << 20;
const maxPooled = 16;
const firstBytes = 256 << 10;

const free: Buffer[] = [];

/**
 * Collects the text of a response in UTF-8. Its memory is used again after `release`, because V8 collects all garbage more often if
 * each response has a buffer of its own.
 */
export interface PageBuffer {
  /** Removes what was written after this many bytes. */
  truncate: (length: number) => void;
  write: (text: string) => void;
  /** Returns what was written. It is valid until `release`. */
  content: () => Buffer;
  release: () => void;
}

export const openPageBuffer = (): PageBuffer => {
  let buffer = free.pop() ?? Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  const reserve = (more: number) => {
    if (length + more <= buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, length + more));
    buffer.copy(grown, 0, 0, length);
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
    release() {
      if (buffer.length <= maxPooledBytes && free.length < maxPooled) free.push(buffer);
    },
  };
};
