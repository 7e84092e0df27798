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
export const instant = (value: unknown): number => whole(value, firstMs, lastMs, 'instant between 1900 and 2299');

export const float = (value: unknown): number =>
  Number.isFinite(value) ? (value as number) : refuse(value, 'finite number');
