import type { Field } from './tables.ts';

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

  written(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

const rejectValue = (value: unknown, type: string): never => {
  const printed =
    typeof value === 'bigint' || typeof value === 'number' ? value.toString() : JSON.stringify(value ?? null);
  throw new RangeError(`${printed} is not a valid ${type}`);
};

/** Without this check, `Buffer` would write NaN as 0 and drop fractions. */
const integer = (value: unknown, min: number, max: number, type: string): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    ? value
    : rejectValue(value, type);

const unsigned =
  (bits: number) =>
  (value: unknown): number =>
    integer(typeof value === 'boolean' ? Number(value) : value, 0, 2 ** bits - 1, `UInt${bits}`);
const uint8 = unsigned(8);
const uint16 = unsigned(16);
const uint32 = unsigned(32);

/** Rejects a JavaScript number that is not a safe integer, because the number may have been rounded. */
const checked64 =
  (min: bigint, max: bigint, type: string) =>
  (value: unknown): number | bigint => {
    if (typeof value === 'bigint') return value >= min && value <= max ? value : rejectValue(value, type);
    return integer(value, min < 0n ? Number.MIN_SAFE_INTEGER : 0, Number.MAX_SAFE_INTEGER, type);
  };
const uint64 = checked64(0n, 2n ** 64n - 1n, 'UInt64');
const int64 = checked64(-(2n ** 63n), 2n ** 63n - 1n, 'Int64');

/** The range of DateTime64 values that ClickHouse handles correctly: the years 1900 to 2299. */
const [firstMs, lastMs] = [Date.UTC(1900, 0, 1), Date.UTC(2300, 0, 1) - 1];
const instant = (value: unknown): number => integer(value, firstMs, lastMs, 'instant between 1900 and 2299');

const float = (value: unknown): number =>
  Number.isFinite(value) ? (value as number) : rejectValue(value, 'finite number');

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

const write64 = (buffer: Buffer, value: number | bigint, at: number): void => {
  if (typeof value === 'bigint') buffer.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  else {
    buffer.writeUInt32LE(value >>> 0, at);
    buffer.writeInt32LE(Math.floor(value / 0x1_0000_0000) | 0, at + 4);
  }
};

const simple: Readonly<Record<string, Write>> = {
  UInt8: fixed(1, (buffer, value: unknown, at) => buffer.writeUInt8(uint8(value), at)),
  UInt16: fixed(2, (buffer, value: unknown, at) => buffer.writeUInt16LE(uint16(value), at)),
  UInt32: fixed(4, (buffer, value: unknown, at) => buffer.writeUInt32LE(uint32(value), at)),
  UInt64: fixed(8, (buffer, value: unknown, at) => write64(buffer, uint64(value), at)),
  Int64: fixed(8, (buffer, value: unknown, at) => write64(buffer, int64(value), at)),
  Float64: fixed(8, (buffer, value: unknown, at) => buffer.writeDoubleLE(float(value), at)),
  DateTime64: fixed(8, (buffer, value: unknown, at) => write64(buffer, instant(value), at)),
  String: text,
};

/** Writes a string whose characters are bytes (latin1), such as a digest. */
const fixedString = (size: number): Write =>
  fixed(size, (buffer, value: unknown, at) => {
    if (typeof value !== 'string' || value.length !== size) rejectValue(value, `FixedString(${size})`);
    else buffer.write(value, at, size, 'latin1');
  });

const writerOf = (type: string): Write => {
  const size = /^FixedString\((\d+)\)$/.exec(type)?.[1];
  if (size !== undefined) return fixedString(Number(size));
  const inner = /^(Array|Nullable|LowCardinality)\((.*)\)$/.exec(type);
  if (inner?.[1] === 'LowCardinality') return writerOf(inner[2]!);
  if (inner) {
    const write = writerOf(inner[2]!) as (bytes: Bytes, value: unknown) => void;
    return inner[1] === 'Array' ? arrayOf(write) : nullableOf(write);
  }
  const write = type.startsWith('DateTime64(3') ? simple['DateTime64'] : simple[type];
  if (!write) throw new Error(`column type ${type} has no RowBinary encoding`);
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

/** Columns have the order of the table's `fields`; times are in ms since 1970. */
export interface RowBatch {
  readonly rows: number;
  readonly bytes: number;
  /** If a column cannot represent its value, throws and leaves the batch unchanged. */
  add(row: Row): void;
  /** Returns a function that removes all rows added after this call. */
  savepoint(): () => void;
  body(): Buffer;
}

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
      savepoint() {
        const saved = { rows, bytes: bytes.length };
        return () => {
          rows = saved.rows;
          bytes.length = saved.bytes;
        };
      },
      body: () => bytes.written(),
    };
  };
};
