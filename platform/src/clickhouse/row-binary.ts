import type { Field } from './tables.ts';

/** A buffer that grows; numbers are written little-endian, as RowBinary has them. */
class Bytes {
  #buffer = Buffer.allocUnsafe(1 << 16);
  length = 0;

  reserve(more: number): Buffer {
    const needed = this.length + more;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, this.length);
      this.#buffer = grown;
    }
    return this.#buffer;
  }

  taken(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Values as columns hold them; each throws on one that its column cannot hold. */
const refuse = (value: unknown, type: string): never => {
  const told =
    typeof value === 'bigint' || typeof value === 'number' ? value.toString() : JSON.stringify(value ?? null);
  throw new RangeError(`${told} is no ${type}`);
};

/** Buffers would take NaN for 0 and cut fractions off. */
const whole = (value: unknown, least: number, most: number, type: string): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : refuse(value, type);

const unsigned =
  (bits: number) =>
  (value: unknown): number =>
    whole(typeof value === 'boolean' ? Number(value) : value, 0, 2 ** bits - 1, `UInt${bits}`);
export const [byte, short, word] = [unsigned(8), unsigned(16), unsigned(32)];

/** Numbers past 2^53 are others than they were. */
const long =
  (least: bigint, most: bigint, type: string) =>
  (value: unknown): number | bigint => {
    if (typeof value === 'bigint') return value >= least && value <= most ? value : refuse(value, type);
    return whole(value, least < 0n ? Number.MIN_SAFE_INTEGER : 0, Number.MAX_SAFE_INTEGER, type);
  };
export const [unsignedLong, signedLong] = [
  long(0n, 2n ** 64n - 1n, 'UInt64'),
  long(-(2n ** 63n), 2n ** 63n - 1n, 'Int64'),
];

/** What a DateTime64 can be computed with: the years 1900 to 2299. */
const [firstMs, lastMs] = [Date.UTC(1900, 0, 1), Date.UTC(2300, 0, 1) - 1];
const instant = (value: unknown): number => whole(value, firstMs, lastMs, 'instant between 1900 and 2299');

const float = (value: unknown): number => (Number.isFinite(value) ? (value as number) : refuse(value, 'finite number'));

type Write = (bytes: Bytes, value: never) => void;

const fixed =
  <Value>(size: number, write: (buffer: Buffer, value: Value, at: number) => void) =>
  (bytes: Bytes, value: Value): void => {
    write(bytes.reserve(size), value, bytes.length);
    bytes.length += size;
  };

const varint = (bytes: Bytes, value: number): void => {
  const buffer = bytes.reserve(5);
  let rest = value;
  while (rest > 0x7f) {
    buffer[bytes.length++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[bytes.length++] = rest;
};

const text = (bytes: Bytes, value: string): void => {
  const size = Buffer.byteLength(value);
  varint(bytes, size);
  const buffer = bytes.reserve(size);
  bytes.length += buffer.write(value, bytes.length, size, 'utf8');
};

const int64 = (buffer: Buffer, value: number | bigint, at: number): void => {
  if (typeof value === 'bigint') buffer.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  else {
    buffer.writeUInt32LE(value >>> 0, at);
    buffer.writeInt32LE(Math.floor(value / 0x1_0000_0000) | 0, at + 4);
  }
};

const simple: Readonly<Record<string, Write>> = {
  UInt8: fixed(1, (buffer, value: unknown, at) => buffer.writeUInt8(byte(value), at)),
  UInt16: fixed(2, (buffer, value: unknown, at) => buffer.writeUInt16LE(short(value), at)),
  UInt32: fixed(4, (buffer, value: unknown, at) => buffer.writeUInt32LE(word(value), at)),
  UInt64: fixed(8, (buffer, value: unknown, at) => int64(buffer, unsignedLong(value), at)),
  Int64: fixed(8, (buffer, value: unknown, at) => int64(buffer, signedLong(value), at)),
  Float64: fixed(8, (buffer, value: unknown, at) => buffer.writeDoubleLE(float(value), at)),
  DateTime64: fixed(8, (buffer, value: unknown, at) => int64(buffer, instant(value), at)),
  String: text,
};

const writerOf = (type: string): Write => {
  const inner = /^(Array|Nullable|LowCardinality)\((.*)\)$/.exec(type);
  if (inner?.[1] === 'LowCardinality') return writerOf(inner[2]!);
  if (inner) {
    const write = writerOf(inner[2]!) as (bytes: Bytes, value: unknown) => void;
    return inner[1] === 'Array' ? arrayOf(write) : nullableOf(write);
  }
  // A DateTime64(3) is its milliseconds since 1970.
  const write = type.startsWith('DateTime64(3') ? simple['DateTime64'] : simple[type];
  if (!write) throw new Error(`no RowBinary form for ${type}`);
  return write;
};

const arrayOf = (write: (bytes: Bytes, value: unknown) => void) => (bytes: Bytes, values: readonly unknown[]) => {
  varint(bytes, values.length);
  for (const value of values) write(bytes, value);
};

const nullableOf = (write: (bytes: Bytes, value: unknown) => void) => (bytes: Bytes, value: unknown) => {
  simple['UInt8']!(bytes, (value === null ? 1 : 0) as never);
  if (value !== null) write(bytes, value);
};

export type Row = Readonly<Record<string, unknown>>;

/** Rows of one table in ClickHouse's RowBinary form, in the order of its fields. Instants are ms since 1970. */
export interface RowBatch {
  readonly rows: number;
  readonly bytes: number;
  /** Throws on a value its column cannot hold; the batch is then as it was. */
  add(row: Row): void;
  /** What takes back every row that is added after this call. */
  mark(): () => void;
  body(): Buffer;
}

/** Compiles the fields once; each call of the result starts an empty batch. */
export const compileRowBinary = (fields: Readonly<Record<string, Field>>): (() => RowBatch) => {
  const writers = Object.entries(fields).map(([name, { type }]) => ({ name, write: writerOf(type) }));
  return () => {
    const bytes = new Bytes();
    let rows = 0;
    return {
      get rows() {
        return rows;
      },
      get bytes() {
        return bytes.length;
      },
      add(row) {
        const before = bytes.length;
        try {
          for (const { name, write } of writers) write(bytes, row[name] as never);
        } catch (error) {
          bytes.length = before;
          throw error;
        }
        rows += 1;
      },
      mark() {
        const [rowsThen, bytesThen] = [rows, bytes.length];
        return () => {
          rows = rowsThen;
          bytes.length = bytesThen;
        };
      },
      body: () => bytes.taken(),
    };
  };
};
