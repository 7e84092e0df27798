import { Counter, type Registry } from '@popsvc/platform/telemetry';

export interface UploadMetrics {
  countReceived(bytes: number): void;
  countQueuedJob(): void;
}

export const createUploadMetrics = (registry: Registry): UploadMetrics => {
  const registers = [registry];
  const files = new Counter({
    name: 'popsvc_uploads_received_total',
    help: 'Files uploaded completely.',
    registers,
  });
  const bytes = new Counter({
    name: 'popsvc_upload_bytes_total',
    help: 'Bytes of files uploaded completely.',
    registers,
  });
  const jobs = new Counter({ name: 'popsvc_bulk_jobs_queued_total', help: 'Bulk jobs queued.', registers });
  return {
    countReceived(size) {
      files.inc();
      bytes.inc(size);
    },
    countQueuedJob: () => jobs.inc(),
  };
};
