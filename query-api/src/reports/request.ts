import { reportLimits } from '@popsvc/contracts/responses';
import {
  idsParameter,
  integerParameter,
  parsedParameter,
  parseQuery,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import { z } from 'zod';
import { isBefore, type TimeWindow, windowEdge } from '../parameters/time-window.ts';
import { type Cursor, parseCursor, type SortOrder } from './cursor.ts';

export interface PageRequest {
  readonly window: TimeWindow;
  readonly siteIds: readonly number[];
  /** Ms since 1970; undefined for the report as it is now. */
  readonly asOfMs: number | undefined;
  readonly limit: number;
  readonly sort: SortOrder;
  readonly after: Cursor | undefined;
  /** 0 if `after` is given. */
  readonly offset: number;
  readonly format: PageFormat;
}

export interface DownloadRequest {
  readonly window: TimeWindow;
  readonly siteIds: readonly number[];
  /** Ms since 1970; undefined for the report as it is now. */
  readonly asOfMs: number | undefined;
  readonly limit: number | undefined;
  readonly offset: number;
  readonly format: DownloadFormat;
  /** Whether to escape text that a spreadsheet would execute as a formula. */
  readonly isExcelSafe: boolean;
}

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

/** By default, Zod skips a check if any parameter is invalid; with these options, only if a named one is. */
const whenValid = (...names: readonly string[]) => ({
  when: ({ issues }: z.core.ParsePayload) => !issues.some(({ path }) => names.includes(String(path?.[0]))),
});

const { maxWindowDays } = reportLimits;
const maxWindowMs = maxWindowDays * 86_400_000;
const isOrdered = ({ from, to }: TimeWindow): boolean => isBefore(from, to);
const isShort = ({ from, to }: TimeWindow): boolean => !isBefore({ ...from, ms: from.ms + maxWindowMs }, to);

export interface ReportTime {
  /** Words for descriptions, such as `start of the play`. */
  readonly time: string;
  readonly acceptsDates: boolean;
}

/** The casts are needed because TypeScript cannot infer `from` and `to` of a generic shape. */
const reportQuerySchema = <Shape extends z.ZodRawShape>({ time, acceptsDates }: ReportTime, shape: Shape) => {
  const rows = `The time of a row is the ${time}.`;
  const window = {
    from: windowEdge(`Start of the window, included. ${rows}`, acceptsDates),
    to: windowEdge(`End of the window, excluded; at most ${maxWindowDays} days after from. ${rows}`, acceptsDates),
  };
  const site_id = idsParameter.describe('Only these sites of the network; repeat it for several.');
  const as_of = windowEdge(
    'The report as it was at this time, such as 2026-11-30T06:00:00Z: any time that is not after the `X-Data-As-Of` of the report now, ' +
      'and for which former rows are kept (35 days by default). Names are the current ones.',
  ).optional();
  const isWindow = whenValid('from', 'to');
  return z
    .strictObject({ ...window, site_id, as_of, ...shape })
    .refine((query) => isOrdered(query as TimeWindow), { ...isWindow, path: ['from'], error: 'must be before to' })
    .refine((query) => isShort(query as TimeWindow), {
      ...isWindow,
      path: ['to'],
      error: `must be at most ${maxWindowDays} days after from`,
    });
};

const { min: minLimit, max: maxLimit, default: defaultLimit } = reportLimits.limit;
const limitParameter = integerParameter(minLimit, maxLimit);
const offsetParameter = integerParameter(0).default(0);

const invalidCursor = 'must be an ISO 8601 datetime with Z or an offset, or the next_after of a page';

export const pageQuerySchema = (times: ReportTime) =>
  reportQuerySchema(times, {
    offset: offsetParameter.describe('Rows to skip; ignored when after is given.'),
    limit: limitParameter.default(defaultLimit).describe('Maximum number of rows of the page.'),
    sort: z.enum(['asc', 'desc']).default('asc').describe(`By the ${times.time}.`),
    after: parsedParameter(parseCursor, () => invalidCursor)
      .optional()
      .describe(
        'Continue after this time: the next_after of the previous page, or any datetime with Z or an offset. ' +
          `It is compared with the ${times.time}.`,
      ),
    format: z
      .enum(pageFormats)
      .default('json')
      .describe(
        '`ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson has the same effect.',
      ),
  });

export const downloadQuerySchema = (times: ReportTime) =>
  reportQuerySchema(times, {
    offset: offsetParameter.describe('Rows to skip.'),
    limit: limitParameter.optional().describe('Maximum number of rows of the file; default: all.'),
    format: z
      .enum(downloadFormats)
      .default('csv')
      .describe(
        'An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet has the same effect.',
      ),
    excel_safe: z
      .enum(['true', 'false'])
      .optional()
      .meta({ default: 'false' })
      .describe('CSV only: prefixes text that a spreadsheet would execute as a formula with an apostrophe.'),
  }).refine(({ excel_safe, format }) => excel_safe === undefined || format === 'csv', {
    ...whenValid('excel_safe', 'format'),
    path: ['excel_safe'],
    error: 'requires format csv',
  });

export type PageQuery = ReturnType<typeof pageQuerySchema>;
export type DownloadQuery = ReturnType<typeof downloadQuerySchema>;

type ReportRequest = Pick<RouteRequest, 'query' | 'header'>;

/** The Accept header must be exactly the media type: browsers and libraries send lists of media types by default. */
const formatsByAccept = ['ndjson', 'parquet'] as const;

const withAcceptedFormat = (
  request: ReportRequest,
  formats: readonly (PageFormat | DownloadFormat)[],
): ReportRequest['query'] => {
  const mediaType = request.header('accept')?.trim().toLowerCase();
  const format = formatsByAccept.find((each) => mediaTypes[each] === mediaType && formats.includes(each));
  return format ? { format, ...request.query } : request.query;
};

/** Throws INVALID_PARAM, which lists all problems. */
export const parsePageRequest = (request: ReportRequest, schema: PageQuery): PageRequest => {
  const {
    from,
    to,
    site_id: siteIds = [],
    as_of: asOf,
    offset,
    after,
    ...page
  } = parseQuery(schema, withAcceptedFormat(request, pageFormats));
  return { ...page, window: { from, to }, siteIds, asOfMs: asOf?.ms, after, offset: after ? 0 : offset };
};

/** Throws INVALID_PARAM, which lists all problems. */
export const parseDownloadRequest = (request: ReportRequest, schema: DownloadQuery): DownloadRequest => {
  const {
    from,
    to,
    site_id: siteIds = [],
    as_of: asOf,
    limit,
    excel_safe: excelSafe,
    ...file
  } = parseQuery(schema, withAcceptedFormat(request, downloadFormats));
  return { ...file, window: { from, to }, siteIds, asOfMs: asOf?.ms, limit, isExcelSafe: excelSafe === 'true' };
};
