export {
  BULK_FORMATS,
  bulkContentTypes,
  type BulkFormat,
  BulkJob,
  CONTENT_CODINGS,
  CSV_DELIMITERS,
  type CsvDelimiter,
  type ContentCoding,
} from './bulk-job.ts';
