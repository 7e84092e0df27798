import { coffeeDataset, type Dataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';

/** A dataset as partners ask for it. Its name is also that of its path, its files and its projection. */
export interface Report {
  readonly dataset: Dataset;
  /** Whether a date alone stands for its midnight (decisions 6.4). */
  readonly dates: boolean;
  /** What generated clients call its page and its file. */
  readonly operations: { readonly page: string; readonly download: string };
}

export const reports: readonly Report[] = [
  { dataset: coffeeDataset, dates: true, operations: { page: 'getCoffee', download: 'downloadCoffee' } },
  {
    dataset: watcherSummaryDataset,
    dates: false,
    operations: { page: 'getWatcherSummary', download: 'downloadWatcherSummary' },
  },
];
