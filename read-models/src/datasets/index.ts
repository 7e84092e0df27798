export { coffeeDataset } from '../coffee/columns.ts';
export type { ColumnType, Dataset, DatasetColumn, ValueKind } from '../shared/dataset.ts';
export { watcherSummaryDataset } from '../watcher-summary/columns.ts';
