import { type BulkFormat, bulkContentTypes } from '@popsvc/contracts/bulk';

/** What a vendor is told to do with an address. */
export const instructionsFor = (format: BulkFormat): string =>
  `Send the file as it is, not compressed, by HTTP PUT to uploadUrl, with the header Content-Type: ${bulkContentTypes[format]}. ` +
  'Ingest it when the answer is 200.';
