/**
 * Usual maximum of a chunk's size in bytes. A reply writes its chunk as soon as it is half full, so only a large message can exceed this
 * size.
 */
const maxChunkBytes = 60 * 1024;
const minChunkBytes = 2 * 1024;
/** The gRPC prefix of a message: one byte for the compression flag (0: none), four bytes for the length. */
const prefixBytes = 5;

/**
 * Collects gRPC messages, each with its prefix, in one buffer. Many small messages then need only one write.
 *
 * In @grpc/grpc-js 1.14, most of a small message's CPU cost is the fixed cost of its write, and no API writes several messages at
 * once (docs/decisions/0021-own-code-and-libraries.md). test/src/event-store/framed-chunks.spec.ts fails if every message is written
 * separately.
 */
export class FramedChunk {
  #bytes = Buffer.allocUnsafe(minChunkBytes);
  #filled = 0;

  get isHalfFull(): boolean {
    return this.#filled >= maxChunkBytes / 2;
  }

  /** Adds the message in `source` from offset `from` to offset `to`. */
  add(source: Buffer, from: number, to: number): void {
    const length = to - from;
    this.#reserve(prefixBytes + length);
    this.#bytes[this.#filled] = 0;
    this.#bytes.writeUInt32BE(length, this.#filled + 1);
    source.copy(this.#bytes, this.#filled + prefixBytes, from, to);
    this.#filled += prefixBytes + length;
  }

  /** Returns the collected messages and starts a new chunk; undefined if there are none. */
  take(): Buffer | undefined {
    if (this.#filled === 0) return undefined;
    const chunk = this.#bytes.subarray(0, this.#filled);
    this.#bytes = Buffer.allocUnsafe(Math.min(maxChunkBytes, Math.max(minChunkBytes, this.#filled)));
    this.#filled = 0;
    return chunk;
  }

  #reserve(bytes: number): void {
    if (this.#filled + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(Math.min(maxChunkBytes, 4 * this.#bytes.length), this.#filled + bytes));
    this.#bytes.copy(larger, 0, 0, this.#filled);
    this.#bytes = larger;
  }
}

/**
 * Serializes a chunk of framed messages. grpc-js expects one message without a prefix: it reads the `byteLength` of the
 * serialized message, allocates five bytes more than that, writes its own prefix and calls `copy(target, 5)`. The object returned
 * here reports a `byteLength` that is five bytes smaller than the chunk, so the allocation has the size of the chunk. Its `copy`
 * overwrites the whole allocation with the chunk, including the prefix that grpc-js wrote. This relies on `serializeMessage` in
 * `server-interceptors.js` of @grpc/grpc-js 1.14, so the version is pinned to that minor version.
 */
export const serializeFramedChunk = (chunk: Buffer): Buffer => {
  const message = {
    byteLength: chunk.length - prefixBytes,
    copy: (target: Buffer): number => chunk.copy(target, 0),
  };
  return message as unknown as Buffer;
};
