const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What JSON text would become, told before anything is built. */
export interface Outline {
  /** How deep it is nested. */
  readonly depth: number;
  /** How many lists and objects there are: each costs many times the two bytes it is written in. */
  readonly containers: number;
}

/** Reads the outline of JSON text; stops as soon as one of the limits is passed. Says nothing about whether the text is JSON. */
export const outlineOf = (bytes: Uint8Array, limits: Outline): Outline => {
  let [level, depth, containers] = [0, 0, 0];
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === openObject || byte === openList) {
      containers++;
      if (++level > depth) depth = level;
      if (depth > limits.depth || containers > limits.containers) break;
    } else if (byte === closeObject || byte === closeList) level--;
  }
  return { depth, containers };
};
