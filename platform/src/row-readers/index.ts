export { maxJsonDepth } from './json.ts';
export { findLossyNumbers } from './lossy-numbers.ts';
export { type CsvColumns, type FileRow, type FileRowBatch, UnreadableFile } from './rows.ts';
export { type CsvHeader } from './csv.ts';
export { readCsvHeader, readRows, type ReadRowsOptions } from './read-rows.ts';
