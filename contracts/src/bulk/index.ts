export {
  BULK_FORMATS,
  bulkContentTypes,
  type BulkFormat,
  BulkJob,
  BulkJobWarning,
  CONTENT_CODINGS,
  CSV_DELIMITERS,
  maxBulkJobWarnings,
  type CsvDelimiter,
  type ContentCoding,
} from './bulk-job.ts';
