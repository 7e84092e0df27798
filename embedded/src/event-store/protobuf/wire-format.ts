/** `value`: an integer from 0 to 2^53. */
export const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
};

/** `value`: an integer from 0 to 2^53. Returns the offset after the varint. */
export const writeVarint = (target: Buffer, value: number, at: number): number => {
  let rest = value;
  let next = at;
  while (rest > 0x7fffffff) {
    target[next++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  while (rest >= 0x80) {
    target[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[next++] = rest;
  return next;
};

/** The length or tag must be below 2^31. */
export const readLength = (source: Buffer, at: number): { readonly value: number; readonly next: number } => {
  let value = 0;
  let next = at;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = source[next++];
    if (byte === undefined) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, next };
  }
  throw new RangeError(`protobuf: length or tag at offset ${at} is truncated or above 2^31`);
};

/** `bytes` returns views of the message, not copies. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  /** Returns field * 8 + wire type; 0 at the end of the message. */
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
    throw new RangeError('protobuf: varint is truncated or longer than 10 bytes');
  }

  /** Values above 2^53 lose precision: read fields that may have such values with `bigint`. */
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

  skip(tag: number): void {
    const type = tag & 7;
    if (type === 0) this.bigint();
    else if (type === 2) this.#span();
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else throw new RangeError(`protobuf: unknown wire type ${type}`);
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
    if (to > this.#end) throw new RangeError('protobuf: field is longer than its message');
    this.#at = to;
    return [from, to];
  }
}

export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(128);
  #at = 0;

  /** Writes even 0: in a oneof, 0 is not the same as a missing field. */
  uint(field: number, value: number | bigint): this {
    this.#reserve(20);
    this.#at = writeVarint(this.#bytes, field * 8, this.#at);
    if (typeof value === 'number') this.#at = writeVarint(this.#bytes, value, this.#at);
    else this.#bigint(BigInt.asUintN(64, value));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#reserve(value.length + 20);
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

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
