import type { Transform } from 'node:stream';

/** Compressed data is truncated, damaged or not supported. The message is for the sender of the data. */
export class DamagedContent extends Error {
  override readonly name = 'DamagedContent';
}

export const endsEarly = (options?: ErrorOptions): DamagedContent =>
  new DamagedContent('it ends before the compressed data is complete', options);

type Decoder = Transform & { readonly bytesWritten: number };

const toDamagedContent = (cause: unknown): DamagedContent => {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'Z_BUF_ERROR'
    ? endsEarly({ cause })
    : new DamagedContent('the compressed data is damaged', { cause });
};

/** A pipeline would read ahead, and could not end while the source waits for its next chunk. */
export async function* decodeStream(
  decoder: Decoder,
  compressed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const output = decoder[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const readOutput = () => {
    const piece = output.next().catch((cause: unknown): never => {
      throw toDamagedContent(cause);
    });
    // Without this handler, a failure before the piece is awaited would be an unhandled rejection.
    piece.catch(() => undefined);
    return piece;
  };
  let next = readOutput();
  let compressedBytes = 0;
  try {
    for await (const chunk of compressed) {
      compressedBytes += chunk.length;
      // If the write fails, `isConsumed` stays pending, and the read of the output throws the error.
      const isConsumed = new Promise<undefined>((resolve) => {
        decoder.write(chunk, (error) => {
          if (!error) resolve(undefined);
        });
      });
      for (;;) {
        const piece = await Promise.race([next, isConsumed]);
        if (!piece) break;
        if (piece.done === true) throw trailingBytes();
        yield piece.value;
        next = readOutput();
      }
    }
    decoder.end();
    for (let piece = await next; piece.done !== true; piece = await next) {
      yield piece.value;
      next = readOutput();
    }
    // zlib ignores what follows the end of the compressed data if it begins with a zero byte.
    if (decoder.bytesWritten !== compressedBytes) throw trailingBytes();
  } finally {
    decoder.destroy();
  }
}

const trailingBytes = () => new DamagedContent('it continues after the end of the compressed data');
