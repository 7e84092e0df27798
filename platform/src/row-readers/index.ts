export { findLossyNumbers } from './lossy-numbers.ts';
export { type CsvColumns, type FileRow, type FileRowBatch, UnreadableFile } from './rows.ts';
export { maxRowBytes, readRows, type ReadRowsOptions } from './read-rows.ts';
