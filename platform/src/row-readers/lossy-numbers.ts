const [quote, backslash, minus, plus, point, zero, nine] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [littleE, bigE] = [0x65, 0x45];

/** The shortest number that can lose digits when it is parsed is beyond the range of a double, such as 1e309. */
const minLossyLength = 5;

const startsNumber = (byte: number): boolean => (byte >= zero && byte <= nine) || byte === minus;
const continuesNumber = (byte: number): boolean =>
  (byte >= zero && byte <= nine) ||
  byte === point ||
  byte === littleE ||
  byte === bigE ||
  byte === plus ||
  byte === minus;

const isLossy = (text: string): boolean => {
  const value = Number(text);
  if (!Number.isFinite(value)) return true;
  // A large integer loses no digits if JavaScript prints it as it is written, or if a double represents it exactly.
  return (
    !Number.isSafeInteger(value) && /^-?\d+$/.test(text) && String(value) !== text && BigInt(text) !== BigInt(value)
  );
};

/** Returns the parsed values of integers and infinite numbers that lose digits. Ignores rounded fractions. */
export const findLossyNumbers = (bytes: Buffer): ReadonlySet<number> => {
  const found = new Set<number>();
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (startsNumber(byte)) {
      const from = at;
      while (at + 1 < length && continuesNumber(bytes[at + 1]!)) at++;
      if (at + 1 - from < minLossyLength) continue;
      const text = bytes.toString('latin1', from, at + 1);
      if (isLossy(text)) found.add(Number(text));
    }
  }
  return found;
};
