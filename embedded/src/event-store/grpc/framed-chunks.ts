const maxChunkBytes = 60 * 1024;
const minChunkBytes = 2 * 1024;
/** The gRPC prefix of a message: one byte for the compression flag (0: none), four bytes for the length. */
const prefixBytes = 5;

/**
 * Collects several messages for one write. In @grpc/grpc-js 1.14, the fixed cost of a write dominates the cost of a small message, and no
 * API writes several messages at once (docs/decisions/0021-own-code-and-libraries.md).
 */
export class FramedChunk {
  #bytes = Buffer.allocUnsafe(minChunkBytes);
  #filled = 0;

  get isHalfFull(): boolean {
    return this.#filled >= maxChunkBytes / 2;
  }

  add(source: Buffer, from: number, to: number): void {
    const length = to - from;
    this.#reserve(prefixBytes + length);
    this.#bytes[this.#filled] = 0;
    this.#bytes.writeUInt32BE(length, this.#filled + 1);
    source.copy(this.#bytes, this.#filled + prefixBytes, from, to);
    this.#filled += prefixBytes + length;
  }

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
 * grpc-js allocates `byteLength` + 5 bytes, writes its own prefix and calls `copy(target, 5)`; this `copy` overwrites that prefix.
 * Relies on `serializeMessage` in `server-interceptors.js` of the pinned version 1.14.
 */
export const serializeFramedChunk = (chunk: Buffer): Buffer => {
  const message = {
    byteLength: chunk.length - prefixBytes,
    copy: (target: Buffer): number => chunk.copy(target, 0),
  };
  return message as unknown as Buffer;
};
