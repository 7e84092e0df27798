export { coffeeDataset } from './coffee.dataset.ts';
export type { Column, ColumnType, Holds } from './column.ts';
export type { Dataset } from './define-dataset.ts';
export { watcherSummaryDataset } from './watcher-summary.dataset.ts';
//# sourceMappingURL=index.d.ts.map
