/** Bytes that a protobuf varint of a whole number from 0 to 2^53 takes. */
export const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
};

/** Writes `value` (0 to 2^53) at `at` and answers the offset behind it. */
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

/** Reads a length at `at`; answers it and the offset behind it. Lengths stay below 2^31. */
export const readLength = (source: Buffer, at: number): { readonly value: number; readonly next: number } => {
  let value = 0;
  let next = at;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = source[next++];
    if (byte === undefined) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, next };
  }
  throw new RangeError('a length is cut short or too large');
};
