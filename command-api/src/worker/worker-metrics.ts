import { Counter, Gauge, type Registry } from '@popsvc/platform/telemetry';

export interface WorkerMetrics {
  /** A job is at work; tells that it is not any more. */
  began(): () => void;
  rows(good: number, bad: number): void;
}

export const workerMetrics = (registry: Registry): WorkerMetrics => {
  const registers = [registry];
  const jobs = new Gauge({ name: 'popsvc_bulk_jobs_at_work', help: 'Bulk jobs this process works on.', registers });
  const rows = new Counter({
    name: 'popsvc_bulk_rows_total',
    help: 'Rows of bulk files that are dealt with, good ones and bad ones.',
    labelNames: ['kind'] as const,
    registers,
  });
  return {
    began() {
      jobs.inc();
      return () => jobs.dec();
    },
    rows(good, bad) {
      rows.inc({ kind: 'good' }, good);
      rows.inc({ kind: 'bad' }, bad);
    },
  };
};
