export { lossyNumbers } from './json/lossy-numbers.ts';
export { type Columns, type FileRow, type FileRows, UnreadableFile } from './port.ts';
export { mostRowBytes, rowsOf, type RowsAsked } from './rows-of.ts';
