import { Counter, type Registry } from '@popsvc/platform/telemetry';

export interface UploadMetrics {
  received(bytes: number): void;
  queued(): void;
}

export const uploadMetrics = (registry: Registry): UploadMetrics => {
  const registers = [registry];
  const files = new Counter({
    name: 'popsvc_uploads_received_total',
    help: 'Files that were uploaded whole.',
    registers,
  });
  const bytes = new Counter({
    name: 'popsvc_upload_bytes_total',
    help: 'Bytes of files that were uploaded whole.',
    registers,
  });
  const jobs = new Counter({ name: 'popsvc_bulk_jobs_queued_total', help: 'Bulk jobs that were queued.', registers });
  return {
    received(size) {
      files.inc();
      bytes.inc(size);
    },
    queued: () => jobs.inc(),
  };
};
