/** Rows that `zstd -19` compressed to `zstdRows`, with a checksum. */
export const rows = Array.from(
  { length: 40 },
  (_, ref) => `${JSON.stringify({ screen: `screen-${ref % 7}`, ref })}\n`,
).join('');
export const zstdRows = Buffer.from(
  'KLUv/QRoBQQAggYSEbAdA5UbowyJ1EJ2yii0sogBYKqno5+bl/9+T66cjHxsXHzbNbFqKuqpaenrtqRXTkXkHGNK+e0WTLKCazCIQMYKrzXIYpABMqgQaL3HGqCT' +
    'gsIBEYzghFcEWPh+PaIzWrIRV2yDluzC9itZS4SsU32NZF9thWlxsFoi8GW710gD',
  'base64',
);

/** Content of three blocks, and what `zstd -3` made of it. */
export const repeatedRows = '{"screen":"screen-1","seconds":10}\n'.repeat(8_000);
export const zstdRepeatedRows = Buffer.from(
  'KLUv/QRYPAEA4Hsic2NyZWVuIjotMSIsInNlY29uZHMiOjEwfQoCALT/jcqBbukCTAAACDABAPz/ORACRQAACCIBALzFDoTx5wVb',
  'base64',
);

const blockOf = (type: 0 | 1, size: number, content: Buffer, isLast: boolean): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3);
  return Buffer.concat([header, content]);
};

/** A block with its content as it is. */
export const rawBlock = (content: string, isLast = false) =>
  blockOf(0, Buffer.byteLength(content), Buffer.from(content), isLast);
/** A block of one repeated byte: four bytes that become up to 128 KiB. */
export const repeatBlock = (size: number, isLast = false) => blockOf(1, size, Buffer.from('x'), isLast);

/** A frame without a checksum; its window has 2^`windowLog` bytes. */
export const frame = (blocks: readonly Buffer[], windowLog = 20, descriptor = 0): Buffer =>
  Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, (windowLog - 10) << 3]), ...blocks]);

export const skippableFrame = (content: string): Buffer => {
  const header = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, Buffer.from(content)]);
};
