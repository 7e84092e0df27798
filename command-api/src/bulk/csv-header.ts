import { CSV_DELIMITERS, type CsvDelimiter } from '@popsvc/contracts/bulk';
import type { StartBulkIngest } from '@popsvc/contracts/commands';
import type { UploadClaimed } from '@popsvc/contracts/events';
import { responseMessage } from '@popsvc/contracts/responses';
import type { ReceivedFile, Upload } from '@popsvc/domain/bulk';
import { findMissingColumns, type MissingColumn } from '@popsvc/domain/mappings';
import { invalidRequestError } from '@popsvc/http-kit/server';
import { ObjectNotFound } from '@popsvc/platform/object-storage';
import { type CsvHeader, readCsvHeader, UnreadableFile } from '@popsvc/platform/row-readers';
import { z } from 'zod';
import { readWithTimeout } from '../intake/event-store-circuit.ts';
import { chooseColumns, findMapping } from '../worker/mapping.ts';
import { type BulkDependencies, withStorageErrors } from './uploads.ts';

const maxHeaderCharacters = 200;

/** What the claim of a CSV file records of its first row. */
export type CsvInspection = Pick<UploadClaimed, 'delimiter' | 'missingColumns' | 'assumedHeader'>;

const readDelimiter = (metadata: StartBulkIngest['metadata']): CsvDelimiter | undefined => {
  const given = metadata?.['delimiter'];
  if (given === undefined || given === null) return undefined;
  const known = CSV_DELIMITERS.find((delimiter) => delimiter === given);
  if (known) return known;
  throw invalidRequestError([{ path: 'metadata.delimiter', message: 'must be ",", ";" or a tab' }]);
};

/**
 * Throws INVALID_REQUEST if the delimiter or the header row is not usable, ObjectNotFound if the file no longer exists, and UNAVAILABLE or
 * EventStoreUnavailable if a store does not answer.
 */
export const inspectCsv = async (
  dependencies: BulkDependencies,
  { vendor }: Upload,
  { objectKey }: ReceivedFile,
  { schemaVersion, metadata }: StartBulkIngest,
): Promise<CsvInspection> => {
  const { store, circuit } = dependencies;
  const delimiter = readDelimiter(metadata);
  const mapping = await readWithTimeout(circuit, findMapping(store, { vendor, schemaVersion }));
  if (chooseColumns(metadata, mapping) !== 'header') return { delimiter: delimiter ?? CSV_DELIMITERS[0] };
  const header = await readHeader(dependencies, objectKey, delimiter);
  const missingColumns = mapping ? findMissingColumns(mapping.mapping, header.names) : [];
  const isAssumed = mapping === undefined && metadata?.['header'] !== true;
  return {
    delimiter: header.delimiter,
    ...(missingColumns.length > 0 && { missingColumns }),
    ...(isAssumed && { assumedHeader: header.names.join(header.delimiter).slice(0, maxHeaderCharacters) }),
  };
};

const readHeader = async (
  { storage: { objects } }: BulkDependencies,
  objectKey: string,
  delimiter: CsvDelimiter | undefined,
): Promise<CsvHeader> => {
  const reading = new AbortController();
  const read = async () => readCsvHeader(await objects.read(objectKey, reading.signal), delimiter);
  try {
    return await withStorageErrors(read(), UnreadableFile, ObjectNotFound);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const message =
      `cannot be ingested. ${error.message} ` +
      'Upload the corrected file. If the file has no header row, set metadata.header to false.';
    throw invalidRequestError([{ path: 'fileId', message }]);
  } finally {
    reading.abort();
  }
};

const maxWarnings = 100;

const BulkWarning = z
  .object({
    path: z
      .string()
      .describe('Where the mapping names the column, such as `fields.screenId.path`; or `metadata.header`.'),
    code: z
      .enum(['MISSING_COLUMN', 'ASSUMED_HEADER'])
      .describe(
        'The header row lacks a column that the mapping reads. Or the first row was taken for the header row, without a mapping or `metadata.header`.',
      ),
    value: z.string().describe('The name of the column; or the first row, up to 200 characters.'),
    message: responseMessage,
  })
  .meta({ id: 'BulkWarning' });
type BulkWarning = z.output<typeof BulkWarning>;

/** Both fields are absent if there are no warnings. */
export const bulkWarningFields = {
  warnings: z.array(BulkWarning).readonly().optional().describe(`The first ${maxWarnings}.`),
  warningCount: z.int().optional().describe('Number of warnings, with those that are not listed; absent without any.'),
};

const missingColumnWarning = ({ field, column, isNeeded }: MissingColumn): BulkWarning => ({
  path: field,
  code: 'MISSING_COLUMN',
  value: column,
  message:
    `The header row has no column ${JSON.stringify(column)}, which the mapping reads for ${field}.` +
    (isNeeded ? ' All rows will be quarantined.' : ''),
});

const assumedHeaderWarning = (row: string): BulkWarning => ({
  path: 'metadata.header',
  code: 'ASSUMED_HEADER',
  value: row,
  message:
    'The first row names the columns, because no mapping is registered. If it is a play, it is lost: upload the file again, ' +
    'and start its job with metadata.header false. With true, this warning ends.',
});

export const createWarnings = ({ missingColumns = [], assumedHeader }: CsvInspection = {}) => {
  const warnings = missingColumns.map(missingColumnWarning);
  if (assumedHeader) warnings.push(assumedHeaderWarning(assumedHeader));
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, maxWarnings), warningCount: warnings.length };
};
