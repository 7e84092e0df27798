/** Total of the buffers that are kept for later responses. */
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

/** Reuses memory: with a new buffer for each response, V8 would collect garbage more often, and the kernel would clear the memory. */
export interface PageBuffer {
  truncate: (length: number) => void;
  write: (text: string) => void;
  /** Valid until the next `write` or `release`. */
  content: () => Buffer;
  release: () => void;
}

/** `bytes`: the expected size. The buffer grows if the response is larger. */
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
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      reserve(3 * text.length);
      length += buffer.write(text, length, 'utf8');
    },
    content: () => buffer.subarray(0, length),
    release: () => giveBack(buffer),
  };
};
