export {
  addColumns,
  column,
  createLiveView,
  createTable,
  createView,
  name,
  quoted,
  rowsOf,
  type Sight,
} from './ddl.ts';
export { byTheWay, defineTable, type Field, field, generationTable, type TableDefinition } from './define-table.ts';
export { defineView, type ViewDefinition, type ViewField } from './define-view.ts';
export { instant } from './instants.ts';
export { readTimeZones } from './known-zones.ts';
export { type Row, type RowBatch, rowBinary } from './row-binary.ts';
export { isServerRefusal, isTooMuch, openWriter, type WriterOptions } from './writer.ts';
export type { Insert, Writer } from './writer-port.ts';
export { isTableGone } from './reader-errors.ts';
export type { Reader, ReadOptions } from './reader-port.ts';
export { openReader, type ReaderOptions } from './reader.ts';
export { measured } from './measured-reader.ts';
export { type ReaderMetrics, readerMetrics } from './reader-metrics.ts';
export { tableDrift, type TableFacts } from './table-drift.ts';
export type { StatementOptions } from './statements.ts';
export { allOf, anyOf, bind, Bound, type BoundType, listOf, Sql, sql } from './sql.ts';
export { columnAs, liveView, standingRows, tableOf } from './sql-names.ts';
