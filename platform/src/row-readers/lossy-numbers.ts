const [quote, backslash, minus, plus, point, zero, nine] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [littleE, bigE] = [0x65, 0x45];

/** Shorter numbers are exact: the shortest number beyond the range of a double has five characters, such as 1e309. */
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
  // A large integer in the form in which JavaScript prints it is read back unchanged.
  return (
    !Number.isSafeInteger(value) && /^-?\d+$/.test(text) && String(value) !== text && BigInt(text) !== BigInt(value)
  );
};

/**
 * Finds the numbers in valid JSON text that lose digits when parsed: integers with more digits than a double holds, such as 64-bit
 * ids, and numbers beyond its range. Returns their parsed values. Rounded fractions do not count.
 */
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
