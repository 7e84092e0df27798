export {
  addColumns,
  columnDefinition,
  columnsOf,
  compressed,
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
  type MaterializedField,
  quoteIdentifier,
  quoteString,
  selectRows,
  type StoredTable,
  type TableLayout,
  tablesReadBy,
  type TableDefinition,
  type ViewDefinition,
  type ViewField,
  type ViewScope,
  withoutGeneration,
} from './tables.ts';
export {
  bind,
  Bound,
  type BoundType,
  currentRows,
  chunkForParameter,
  dictionaryName,
  fewRows,
  instantSql,
  joinWithAnd,
  joinWithCommas,
  joinWithOr,
  joinWithUnionAll,
  limitedTo,
  liveViewName,
  numberSql,
  type RowScope,
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
  type StatementOptions,
} from './writer.ts';
export {
  countDamagedParts,
  type IsReplicaReady,
  openAllShardsReader,
  openClickHouseReader,
  openShardReaders,
  type ReplicaLayout,
  type ShardReader,
} from './cluster-reader.ts';
export {
  openClickHouseWriter,
  openShardWriters,
  pinToServer,
  runOnEachServer,
  untilReplicated,
  writersOfServers,
} from './cluster-writer.ts';
export { describeShard, listServersOf, listShardsOf } from './servers.ts';
export { findWrongShard, requireListedShards, WrongShardError } from './shard-check.ts';
export { type Row, type RowBatch, compileRowBinary } from './row-binary.ts';
export { hasServerErrorType, isDataDamaged, isReplicaUnavailable, isTableMissing } from './reader-errors.ts';
export { type ClickHouseReader, type ClickHouseReaderOptions, type QueryOptions, shardsDatabase } from './reader.ts';
export { measureReader, type ReaderMetrics, readerMetrics } from './reader-metrics.ts';
export { RowBinaryReader } from './row-binary-reader.ts';
