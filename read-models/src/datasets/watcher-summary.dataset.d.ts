import type { Dataset } from './define-dataset.ts';
export declare const watcherSummaryDataset: Dataset;
//# sourceMappingURL=watcher-summary.dataset.d.ts.map
