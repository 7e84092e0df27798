import type { IntakeCounts } from '../figures/index.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The metrics of the worker, with what operators are told by the minute counted beside them. */
export const countedRows = (metrics: WorkerMetrics, { accepted, refused }: IntakeCounts): WorkerMetrics => ({
  ...metrics,
  rows(good, bad) {
    metrics.rows(good, bad);
    if (good > 0) accepted(good);
    if (bad > 0) refused('bulk_refused', bad);
  },
});
