/** The event's metadata map as it stands in a stored message. */
export const typeKey = Buffer.from('\x0a\x04type', 'latin1');
const mapEntry = (key: string, value: string): Buffer => {
  const pair = Buffer.concat([
    Buffer.from([0x0a, key.length]),
    Buffer.from(key),
    Buffer.from([0x12, value.length]),
    Buffer.from(value),
  ]);
  return Buffer.concat([Buffer.from([0x32, pair.length]), pair]);
};
export const jsonType = mapEntry('content-type', 'application/json');
export const binaryType = mapEntry('content-type', 'application/octet-stream');

/** Ticks of 100 ns since 1970, in decimal, as the protocol has it. */
export const createdEntry = (createdMs: number): Buffer => mapEntry('created', `${createdMs}0000`);
