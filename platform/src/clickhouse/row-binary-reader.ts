const highFactor = 2 ** 32;

/** RowBinary contains no types: the caller must call the methods for the types of the columns, in their order. */
export class RowBinaryReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Reads a DateTime64(3): ms since 1970. */
  readInstant(): number {
    const at = this.#advance(8);
    return this.#bytes.readInt32LE(at + 4) * highFactor + this.#bytes.readUInt32LE(at);
  }

  /** Reads a UInt64. Throws a RangeError if it exceeds the integer precision of a double. */
  readNumber(): number {
    const at = this.#advance(8);
    const value = this.#bytes.readUInt32LE(at + 4) * highFactor + this.#bytes.readUInt32LE(at);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`);
    return value;
  }

  /** Reads an Array(UInt64). */
  readBigints(): readonly bigint[] {
    return Array.from({ length: this.#readVarint() }, () => this.#bytes.readBigUInt64LE(this.#advance(8)));
  }

  readText(): string {
    const size = this.#readVarint();
    const at = this.#advance(size);
    return this.#bytes.toString('utf8', at, at + size);
  }

  #readVarint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#bytes.readUInt8(this.#advance(1));
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  /** Returns where the next `size` bytes begin. Throws a RangeError if there are fewer. */
  #advance(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#bytes.length) throw new RangeError('a response of ClickHouse ends within a value');
    return at;
  }
}
