import { readLength } from './varint.ts';

/** Walks the fields of one protobuf message without copying: bytes come out as views of the request. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  /** The next tag (field * 8 + wire type), or 0 at the end of the message. */
  tag(): number {
    return this.#at >= this.#end ? 0 : this.#length();
  }

  bigint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined || this.#at > this.#end) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('a number is cut short');
  }

  /** A number; above 2^53 it is only near, which is enough for what is compared. */
  number(): number {
    const small = this.#bytes[this.#at];
    if (small !== undefined && small < 0x80 && this.#at < this.#end) {
      this.#at += 1;
      return small;
    }
    return Number(this.bigint());
  }

  bytes(): Buffer {
    const [from, to] = this.#span();
    return this.#bytes.subarray(from, to);
  }

  text(): string {
    const [from, to] = this.#span();
    return this.#bytes.toString('utf8', from, to);
  }

  message(): ProtobufReader {
    const [from, to] = this.#span();
    return new ProtobufReader(this.#bytes, from, to);
  }

  /** Steps over a field that nobody asked for, as newer clients may send. */
  skip(tag: number): void {
    const type = tag & 7;
    if (type === 0) this.bigint();
    else if (type === 2) this.#span();
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else throw new RangeError(`wire type ${type} is not known`);
  }

  #length(): number {
    const { value, next } = readLength(this.#bytes, this.#at);
    this.#at = next;
    return value;
  }

  #span(): [from: number, to: number] {
    const length = this.#length();
    const from = this.#at;
    const to = from + length;
    if (to > this.#end) throw new RangeError('a field is longer than its message');
    this.#at = to;
    return [from, to];
  }
}
