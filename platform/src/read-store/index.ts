export { addColumns, createLiveView, createTable, createView } from './ddl.ts';
export { createDictionary, dictionaries, reloadDictionaries } from './dictionaries.ts';
export { judgedPlays } from './judged-plays.ts';
export { type Row, type RowBatch, rowBinary } from './row-binary.ts';
export {
  type Insert,
  isServerRefusal,
  isTooMuch,
  openWriter,
  type StatementOptions,
  type Writer,
  type WriterOptions,
} from './writer.ts';
export { isTableGone } from './reader-errors.ts';
export { openReader, type Reader, type ReaderOptions, type ReadOptions } from './reader.ts';
export { allOf, anyOf, bind, Bound, type BoundType, listOf, Sql, sql } from './sql.ts';
export { columnAs, liveView, tableOf } from './sql-names.ts';
