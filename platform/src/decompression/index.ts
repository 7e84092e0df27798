export { DamagedContent } from './decode-stream.ts';
export { decompress, type DecompressOptions, ExpandsTooMuch, maxExpansion } from './decompress.ts';
export { decodeZstdInJavaScript } from './zstd.ts';
