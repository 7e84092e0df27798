import { coffeeDataset } from '../coffee/coffee.columns.ts';
import type { Dataset } from '../declarations/dataset.ts';
import { watcherSummaryDataset } from '../watcher-summary/watcher-summary.columns.ts';

export { coffeeDataset, watcherSummaryDataset };
export type { ColumnType, Dataset, DatasetColumn, Hierarchy, ValueKind } from '../declarations/dataset.ts';
export { type ReportRow, unpack } from '../declarations/packed-row.ts';
export type { Names } from '../declarations/values.ts';
export { type TypedColumn, typedColumns } from '../declarations/typed-columns.ts';

export const allDatasets: readonly Dataset[] = [coffeeDataset, watcherSummaryDataset];
