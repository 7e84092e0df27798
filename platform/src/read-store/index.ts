export { createAnalystView, createOwnRows, createOwnView } from './analyst-ddl.ts';
export { addColumns, createLiveView, createTable, createView } from './ddl.ts';
export { createDictionary, dictionaries, reloadDictionaries } from './dictionaries.ts';
export { instant } from './instants.ts';
export { judgedPlays } from './judged-plays.ts';
export { isOnline } from './online.ts';
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
export { measured } from './measured-reader.ts';
export { type ReaderMetrics, readerMetrics } from './reader-metrics.ts';
export { tableDrift, type TableFacts } from './table-drift.ts';
export { allOf, anyOf, bind, Bound, type BoundType, listOf, Sql, sql } from './sql.ts';
export { columnAs, liveView, standingRows, tableOf } from './sql-names.ts';
