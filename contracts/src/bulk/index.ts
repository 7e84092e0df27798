export { BULK_FORMATS, bulkContentTypes, type BulkFormat } from './formats.ts';
