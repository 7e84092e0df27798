export { findLossyNumbers } from './json/lossy-numbers.ts';
export { type CsvColumns, type FileRow, type FileRowBatch, UnreadableFile } from './port.ts';
export { maxRowBytes, readRows, type ReadRowsOptions } from './rows-of.ts';
