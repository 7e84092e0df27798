export { decompress, type DecompressOptions, maxExpansion } from './decompress.ts';
export { DamagedContent, ExpandsTooMuch } from './errors.ts';
export { decodeZstdInJavaScript } from './zstd.ts';
