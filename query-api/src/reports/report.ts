import { coffeeDataset, type Dataset, watcherSummaryDataset } from '@popsvc/contracts/datasets';

/** A dataset as partners ask for it. Its name is also that of its path, its files and its projection. */
export interface Report {
  readonly dataset: Dataset;
  /** Whether a date alone stands for its midnight (decisions 6.4). */
  readonly dates: boolean;
}

export const reports: readonly Report[] = [
  { dataset: coffeeDataset, dates: true },
  { dataset: watcherSummaryDataset, dates: false },
];
