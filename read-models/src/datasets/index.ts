export { coffeeDataset } from './coffee.dataset.ts';
export type { DatasetColumn, ColumnType, ValueKind } from './column.ts';
export type { Dataset } from './define-dataset.ts';
export { watcherSummaryDataset } from './watcher-summary.dataset.ts';
