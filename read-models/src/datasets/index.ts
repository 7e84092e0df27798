export { coffeeDataset } from '../coffee/coffee.columns.ts';
export type { ColumnType, Dataset, DatasetColumn, ValueKind } from '../declarations/dataset.ts';
export { watcherSummaryDataset } from '../watcher-summary/watcher-summary.columns.ts';
