import { Counter, Gauge, type Registry } from '@popsvc/platform/telemetry';
import type { IntakeCounter } from '../intake/minute-counts.ts';

export interface WorkerMetrics {
  trackJob(): () => void;
  countRows(good: number, bad: number): void;
}

export const createWorkerMetrics = (registry: Registry): WorkerMetrics => {
  const registers = [registry];
  const jobs = new Gauge({ name: 'popsvc_bulk_jobs_at_work', help: 'Bulk jobs that this process runs.', registers });
  const rows = new Counter({
    name: 'popsvc_bulk_rows_total',
    help: 'Rows of bulk files processed, good and bad ones.',
    labelNames: ['kind'] as const,
    registers,
  });
  return {
    trackJob() {
      jobs.inc();
      return () => jobs.dec();
    },
    countRows(good, bad) {
      rows.inc({ kind: 'good' }, good);
      rows.inc({ kind: 'bad' }, bad);
    },
  };
};

export const withRowMinuteCounts = (
  metrics: WorkerMetrics,
  { countAccepted, countRefused }: IntakeCounter,
): WorkerMetrics => ({
  ...metrics,
  countRows(good, bad) {
    metrics.countRows(good, bad);
    if (good > 0) countAccepted(good);
    if (bad > 0) countRefused('bulk_refused', bad);
  },
});
