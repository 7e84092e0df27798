import { writeVarint } from './varint.ts';

/** Builds small protobuf messages; stored events have their own, exact encoder. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(128);
  #at = 0;

  /** An unsigned 64-bit field, written even when it is 0 because most of ours stand in a oneof. */
  uint(field: number, value: number | bigint): this {
    this.#room(20);
    this.#at = writeVarint(this.#bytes, field * 8, this.#at);
    if (typeof value === 'number') this.#at = writeVarint(this.#bytes, value, this.#at);
    else this.#bigint(BigInt.asUintN(64, value));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#room(value.length + 20);
    this.#at = writeVarint(this.#bytes, field * 8 + 2, this.#at);
    this.#at = writeVarint(this.#bytes, value.length, this.#at);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, 'utf8'));
  }

  message(field: number, fill?: (inner: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    fill?.(inner);
    return this.bytes(field, inner.finish());
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #bigint(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
