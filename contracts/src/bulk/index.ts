export { BULK_FORMATS, bulkContentTypes, type BulkFormat, BulkJob } from './bulk-job.ts';
