export { BulkJob } from './bulk-job.ts';
export { BULK_FORMATS, bulkContentTypes, type BulkFormat } from './formats.ts';
