import { reportLimits } from '@popsvc/contracts/responses';
import type { RouteRequest } from '@popsvc/platform/http';
import { z } from 'zod';
import {
  isBefore,
  isDateOnly,
  parseDate,
  parsePreciseInstant,
  type PreciseInstant,
  type TimeWindow,
} from '../parameters/instants.ts';
import { parseWholeNumber, QueryParameters, readIds } from '../parameters/query-parameters.ts';
import { type Cursor, parseCursor, type SortOrder } from './cursor.ts';

/** A request of one page of a report. */
export interface PageRequest {
  readonly window: TimeWindow;
  readonly siteIds: readonly number[];
  readonly limit: number;
  readonly sort: SortOrder;
  /** The position after which the page begins. */
  readonly after: Cursor | undefined;
  /** The number of rows to skip; 0 if `after` is given. */
  readonly offset: number;
  readonly format: PageFormat;
}

/** A request of a download of a report. */
export interface DownloadRequest {
  readonly window: TimeWindow;
  readonly siteIds: readonly number[];
  /** Maximum number of rows; undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly format: DownloadFormat;
  /** Whether to escape text that a spreadsheet would execute as a formula. */
  readonly isExcelSafe: boolean;
}

/** The first format of each list is the default. */
const pageFormats = ['json', 'ndjson'] as const;
const downloadFormats = ['csv', 'ndjson', 'parquet'] as const;
export type PageFormat = (typeof pageFormats)[number];
export type DownloadFormat = (typeof downloadFormats)[number];

export const mediaTypes: Readonly<Record<PageFormat | DownloadFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

const windowEdge = (about: string, acceptsDates: boolean) =>
  z
    .union([z.iso.datetime({ offset: true }), ...(acceptsDates ? [z.iso.date()] : [])])
    .describe(
      `${about}${acceptsDates ? ' A date alone means midnight in UTC.' : ''} Write the plus sign of an offset as %2B.`,
    );

const sharedParameters = (acceptsDates: boolean) => ({
  from: windowEdge('Start of the window, included.', acceptsDates),
  to: windowEdge(`End of the window, excluded; at most ${reportLimits.maxWindowDays} days after from.`, acceptsDates),
  site_id: z.array(z.int().min(1)).optional().describe('Only these sites of the network; repeat it for several.'),
  offset: z.int().min(0).default(0).describe('Rows to skip.'),
});
const { min: minLimit, max: maxLimit, default: defaultLimit } = reportLimits.limit;
const limitSchema = z.int().min(minLimit).max(maxLimit);

/**
 * The query parameters of pages for the OpenAPI document; `parsePageRequest` reads the same ones. With `acceptsDates`, `from`
 * and `to` may be dates without a time.
 */
export const pageQuerySchema = (acceptsDates: boolean) =>
  z.object({
    ...sharedParameters(acceptsDates),
    offset: z.int().min(0).default(0).describe('Rows to skip; ignored when after is given.'),
    limit: limitSchema.default(defaultLimit).describe('Maximum number of rows of the page.'),
    sort: z.enum(['asc', 'desc']).default('asc').describe('By time.'),
    after: z
      .string()
      .optional()
      .describe(
        'Continue after this instant: the next_after of the previous page, or any datetime with Z or an offset.',
      ),
    format: z
      .enum(pageFormats)
      .default('json')
      .describe(
        '`ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson has the same effect.',
      ),
  });

export const downloadQuerySchema = (acceptsDates: boolean) =>
  z.object({
    ...sharedParameters(acceptsDates),
    limit: limitSchema.optional().describe('Maximum number of rows of the file; default: all.'),
    format: z
      .enum(downloadFormats)
      .default('csv')
      .describe(
        'An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet has the same effect.',
      ),
    excel_safe: z
      .enum(['true', 'false'])
      .default('false')
      .describe('CSV only: prefixes text that a spreadsheet would execute as a formula with an apostrophe.'),
  });

type ReportRequest = Pick<RouteRequest, 'query' | 'header'>;

const pageParameters = Object.keys(pageQuerySchema(true).shape);

/** Parses a request of a page. Throws an INVALID_PARAM error with all problems. */
export const parsePageRequest = (request: ReportRequest, acceptsDates: boolean): PageRequest => {
  const parameters = new QueryParameters(request.query, pageParameters);
  const window = readWindow(parameters, acceptsDates);
  const siteIds = readIds(parameters, 'site_id');
  const limit = readLimit(parameters) ?? defaultLimit;
  const sort = readSort(parameters);
  const after = readAfter(parameters);
  const offset = readOffset(parameters);
  const format = readFormat(parameters, request.header('accept'), pageFormats);
  parameters.throwIfInvalid();
  return { window, siteIds, limit, sort, after, offset: after ? 0 : offset, format };
};

const unsupportedInDownloads = ['after', 'sort'];
const downloadParameters = [...Object.keys(downloadQuerySchema(true).shape), ...unsupportedInDownloads];

/** Parses a request of a download. Throws an INVALID_PARAM error with all problems. */
export const parseDownloadRequest = (request: ReportRequest, acceptsDates: boolean): DownloadRequest => {
  const parameters = new QueryParameters(request.query, downloadParameters);
  for (const name of unsupportedInDownloads)
    if (parameters.has(name)) parameters.reject(name, `${name} is not supported on downloads`, undefined);
  const format = readFormat(parameters, request.header('accept'), downloadFormats);
  const download = {
    window: readWindow(parameters, acceptsDates),
    siteIds: readIds(parameters, 'site_id'),
    limit: readLimit(parameters),
    offset: readOffset(parameters),
    format,
    isExcelSafe: readExcelSafe(parameters, format),
  };
  parameters.throwIfInvalid();
  return download;
};

const longestWindowMs = reportLimits.maxWindowDays * 86_400_000;
const epoch: PreciseInstant = { ms: 0, nanosPastMs: 0 };
const emptyWindow: TimeWindow = { from: epoch, to: epoch };

const readWindow = (parameters: QueryParameters, acceptsDates: boolean): TimeWindow => {
  const from = readWindowEdge(parameters, 'from', acceptsDates);
  const to = readWindowEdge(parameters, 'to', acceptsDates);
  if (!from || !to) return emptyWindow;
  if (!isBefore(from, to)) parameters.reject('from', 'from must be before to', from);
  else if (isBefore({ ...from, ms: from.ms + longestWindowMs }, to))
    parameters.reject('to', `the window between from and to must be at most ${reportLimits.maxWindowDays} days`, to);
  return { from, to };
};

const readWindowEdge = (
  parameters: QueryParameters,
  name: 'from' | 'to',
  acceptsDates: boolean,
): PreciseInstant | undefined => {
  const text = parameters.single(name);
  if (text === undefined) return parameters.reject<PreciseInstant | undefined>(name, `${name} is required`, undefined);
  const isDate = isDateOnly(text);
  const edge = isDate && acceptsDates ? parseDate(text) : parsePreciseInstant(text);
  if (edge) return edge;
  const message =
    isDate && !acceptsDates
      ? `${name} must include a time, not a date alone`
      : `${name} must be an ISO 8601 ${acceptsDates ? 'date or ' : ''}datetime with Z or an offset (a plus sign is written %2B)`;
  return parameters.reject<PreciseInstant | undefined>(name, message, undefined);
};

const readLimit = (parameters: QueryParameters): number | undefined => {
  const text = parameters.single('limit');
  if (text === undefined) return undefined;
  const limit = parseWholeNumber(text);
  if (limit !== undefined && limit >= minLimit && limit <= maxLimit) return limit;
  return parameters.reject('limit', `limit must be a whole number between ${minLimit} and ${maxLimit}`, minLimit);
};

const readOffset = (parameters: QueryParameters): number => {
  const text = parameters.single('offset');
  if (text === undefined) return 0;
  return parseWholeNumber(text) ?? parameters.reject('offset', 'offset must be a non-negative whole number', 0);
};

const readSort = (parameters: QueryParameters): SortOrder => {
  const sort = parameters.single('sort') ?? 'asc';
  if (sort === 'asc' || sort === 'desc') return sort;
  return parameters.reject('sort', 'sort must be asc or desc', 'asc');
};

const readAfter = (parameters: QueryParameters): Cursor | undefined => {
  const text = parameters.single('after');
  if (text === undefined) return undefined;
  return (
    parseCursor(text) ??
    parameters.reject<Cursor | undefined>(
      'after',
      'after must be an ISO 8601 datetime with Z or an offset, or the next_after of a page',
      undefined,
    )
  );
};

const readExcelSafe = (parameters: QueryParameters, format: DownloadFormat): boolean => {
  const text = parameters.single('excel_safe');
  if (text === undefined) return false;
  if (format !== 'csv') return parameters.reject('excel_safe', 'excel_safe requires format csv', false);
  if (text === 'true' || text === 'false') return text === 'true';
  return parameters.reject('excel_safe', 'excel_safe must be true or false', false);
};

/** The formats that the Accept header can select, by being exactly this media type: browsers and libraries send lists by default. */
const formatsByAccept = ['ndjson', 'parquet'] as const;

/**
 * Reads the format. The parameter takes precedence over the Accept header; a format in the header that the route does not have
 * is ignored.
 */
const readFormat = <Format extends PageFormat | DownloadFormat>(
  parameters: QueryParameters,
  accept: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format => {
  const text = parameters.single('format');
  if (text === undefined) {
    const mediaType = accept?.trim().toLowerCase();
    const accepted = formatsByAccept.find((format) => mediaTypes[format] === mediaType);
    return formats.find((format) => format === accepted) ?? formats[0];
  }
  const message = `format must be ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  return formats.find((format) => format === text) ?? parameters.reject('format', message, formats[0]);
};
