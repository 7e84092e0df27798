export {
  addColumns,
  columnDefinition,
  createLiveView,
  createTable,
  createView,
  quoteIdentifier,
  quoteString,
  selectRows,
  type ViewScope,
} from './ddl.ts';
export { incidental, defineTable, type Field, field, generationTable, type TableDefinition } from './define-table.ts';
export { defineView, type ViewDefinition, type ViewField } from './define-view.ts';
export { instantSql } from './instants.ts';
export { readTimeZones } from './known-zones.ts';
export { type Row, type RowBatch, compileRowBinary } from './row-binary.ts';
export {
  isServerError,
  isResourceLimitExceeded,
  openClickHouseWriter,
  type ClickHouseWriterOptions,
} from './writer.ts';
export type { Insert, ClickHouseWriter } from './writer-port.ts';
export { isTableMissing } from './reader-errors.ts';
export type { ClickHouseReader, QueryOptions } from './reader-port.ts';
export { openClickHouseReader, type ClickHouseReaderOptions } from './reader.ts';
export { measureReader } from './measured-reader.ts';
export { type ReaderMetrics, readerMetrics } from './reader-metrics.ts';
export { findTableDrift, type StoredTable } from './table-drift.ts';
export type { StatementOptions } from './statements.ts';
export { joinWithAnd, joinWithOr, bind, Bound, type BoundType, joinWithCommas, Sql, sql } from './sql.ts';
export { selectColumn, liveViewName, currentRows, tableName } from './sql-names.ts';
