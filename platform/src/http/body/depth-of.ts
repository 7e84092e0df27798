const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How deep JSON text is nested, read without building anything; stops one past `enough`. */
export const depthOf = (bytes: Uint8Array, enough: number): number => {
  let depth = 0;
  let deepest = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === openObject || byte === openList) {
      if (++depth > deepest) deepest = depth;
      if (deepest > enough) return deepest;
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return deepest;
};
