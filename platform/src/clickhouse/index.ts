export {
  addColumns,
  columnDefinition,
  createLiveView,
  createTable,
  createView,
  defineTable,
  defineView,
  type Field,
  field,
  findDefinitionDamage,
  findTableDrift,
  generationTable,
  incidental,
  quoteIdentifier,
  quoteString,
  selectRows,
  type StoredTable,
  tablesReadBy,
  type TableDefinition,
  type ViewDefinition,
  type ViewField,
  type ViewScope,
} from './tables.ts';
export {
  bind,
  Bound,
  type BoundType,
  currentRows,
  instantSql,
  joinWithAnd,
  joinWithCommas,
  joinWithOr,
  liveViewName,
  selectColumn,
  Sql,
  sql,
  sqlText,
  tableName,
} from './sql.ts';
export {
  type ClickHouseWriter,
  type ClickHouseWriterOptions,
  type Insert,
  isResourceLimitExceeded,
  isServerError,
  openClickHouseWriter,
  readTimeZones,
  type StatementOptions,
} from './writer.ts';
export { type Row, type RowBatch, compileRowBinary } from './row-binary.ts';
export { hasServerErrorType, isDataDamaged, isTableMissing } from './reader-errors.ts';
export {
  type ClickHouseReader,
  type ClickHouseReaderOptions,
  openClickHouseReader,
  type QueryOptions,
} from './reader.ts';
export { measureReader, type ReaderMetrics, readerMetrics } from './reader-metrics.ts';
