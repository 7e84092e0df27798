const [quote, backslash, minus, plus, point, zero, nine] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [littleE, bigE] = [0x65, 0x45];

/** Shorter ones are exact: 15 digits are, and an exponent of three digits takes four characters beside the number's own. */
const shortestLossy = 5;

const startsNumber = (byte: number): boolean => (byte >= zero && byte <= nine) || byte === minus;
const continuesNumber = (byte: number): boolean =>
  (byte >= zero && byte <= nine) ||
  byte === point ||
  byte === littleE ||
  byte === bigE ||
  byte === plus ||
  byte === minus;

const isLossy = (text: string): boolean => {
  const read = Number(text);
  if (!Number.isFinite(read)) return true;
  // A whole number written in full; JavaScript's own way of writing a large one comes back as it was.
  return !Number.isSafeInteger(read) && /^-?\d+$/.test(text) && String(read) !== text && BigInt(text) !== BigInt(read);
};

/**
 * The numbers of a JSON text that would not be kept as sent, each as what it is read as: whole numbers of more digits than a
 * double holds, such as ids of 64 bits, and those beyond its range. Fractions are rounded as everybody rounds them. The text has
 * been parsed before.
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
      if (at + 1 - from < shortestLossy) continue;
      const text = bytes.toString('latin1', from, at + 1);
      if (isLossy(text)) found.add(Number(text));
    }
  }
  return found;
};
