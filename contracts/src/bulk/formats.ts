/** Formats of bulk files, and the content type each is uploaded with. */
export const BULK_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

export const bulkContentTypes: Readonly<Record<BulkFormat, string>> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
