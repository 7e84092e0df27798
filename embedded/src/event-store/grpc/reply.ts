import { type ServerWritableStream } from '@grpc/grpc-js';
import { type ReadRequest } from './read-request.ts';
import { type Failure } from './failure.ts';

export type ReadCall = ServerWritableStream<ReadRequest, Buffer>;

/** Answers are gathered up to this size, then written together. */
const chunkBytes = 60 * 1024;
const smallestChunkBytes = 2 * 1024;
const prefixBytes = 5;

/**
 * The answers of one read. Small messages leave in chunks of many gRPC frames, because each write of its own costs more
 * than the message; a reader that does not keep up holds back the one who writes here, and nothing gathers in memory.
 */
export class Reply {
  readonly #call: ReadCall;
  readonly #coalesces: boolean;
  #chunk = Buffer.allocUnsafe(smallestChunkBytes);
  #filled = 0;
  #gone = false;
  #release: (() => void) | undefined;
  /** Called when the reader has gone. */
  onGone: () => void = () => undefined;

  constructor(call: ReadCall, coalesces: boolean) {
    this.#call = call;
    this.#coalesces = coalesces;
    call.on('drain', () => this.#release?.());
    call.on('cancelled', () => this.#leave());
    call.on('close', () => this.#leave());
    call.on('error', () => this.#leave());
  }

  isGone(): boolean {
    return this.#gone;
  }

  get full(): boolean {
    return this.#filled >= chunkBytes / 2;
  }

  add(message: Buffer, from = 0, to = message.length): void {
    if (!this.#coalesces) {
      this.#call.write(Buffer.from(message.subarray(from, to)));
      return;
    }
    const length = to - from;
    this.#room(prefixBytes + length);
    this.#chunk[this.#filled] = 0;
    this.#chunk.writeUInt32BE(length, this.#filled + 1);
    message.copy(this.#chunk, this.#filled + prefixBytes, from, to);
    this.#filled += prefixBytes + length;
  }

  /** Hands over what is gathered and waits until the reader has room for more. */
  async flush(): Promise<void> {
    if (this.#gone) return;
    if (this.#filled > 0) {
      const chunk = this.#chunk.subarray(0, this.#filled);
      this.#chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(smallestChunkBytes, this.#filled)));
      this.#filled = 0;
      this.#call.write(chunk);
    }
    if (!this.#call.writableNeedDrain) return;
    await new Promise<void>((resolve) => (this.#release = resolve));
    this.#release = undefined;
  }

  end(): void {
    if (!this.#gone) this.#call.end();
  }

  fail(failure: Failure): void {
    if (!this.#gone) this.#call.emit('error', failure);
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#release?.();
    this.onGone();
  }

  #room(bytes: number): void {
    if (this.#filled + bytes <= this.#chunk.length) return;
    const larger = Buffer.allocUnsafe(Math.max(Math.min(chunkBytes, 4 * this.#chunk.length), this.#filled + bytes));
    this.#chunk.copy(larger, 0, 0, this.#filled);
    this.#chunk = larger;
  }
}

/**
 * grpc-js takes the size of a serialized message, makes room for it behind a prefix of its own, and has the message copy
 * itself there. A chunk that already carries the prefixes of its messages copies itself over that room from the start.
 */
export const asFramedChunk = (chunk: Buffer): Buffer => {
  const framed = {
    byteLength: chunk.length - prefixBytes,
    copy: (target: Buffer): number => chunk.copy(target, 0),
  };
  return framed as unknown as Buffer;
};
