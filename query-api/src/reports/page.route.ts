import { allowCompression, rawResponse, type Route } from '@popsvc/platform/http';
import { dataAsOfHeader, type GenerationProgress } from '../generations/live-generations.ts';
import type { TimeWindow } from '../parameters/time-window.ts';
import { cutPageRows, type PageRows, renderRowsEnvelope } from '../responses/json-rows.ts';
import { networkHeader, type Scope } from '../scope/scope.ts';
import type { NetworkShard, ShardOf } from '../shards/shards.ts';
import { formatCursor } from './cursor.ts';
import { findNearWindow } from './near-window.ts';
import type { RowCounter } from './row-counts.ts';
import { queryPage, type RowSelection } from './report-queries.ts';
import type { Report } from './reports.ts';
import { mediaTypes, type PageRequest, parsePageRequest } from './request.ts';

/** A shard with the counter of its rows. */
export interface ReportShard extends NetworkShard {
  readonly rowCounter: RowCounter;
}

export interface PageDependencies {
  readonly scope: Scope;
  readonly shardOf: ShardOf<ReportShard>;
}

const exampleWindow = { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' };

/** `GET /api/v1/coffee` and `/api/v1/watcher-summary`: one page of a report. */
export const pageRoute = (
  { dataset, operations, pageQuery, pageSchema }: Report,
  { scope, shardOf }: PageDependencies,
): Route => ({
  method: 'get',
  path: `/api/v1/${dataset.name}`,
  summary: `Rows of ${dataset.name}, a page at a time.`,
  description: dataset.about,
  access: 'reporting',
  operationId: operations.page,
  examples: [
    { name: 'firstPage', query: exampleWindow, headers: { 'X-Network-Name': 'Demo network' } },
    { name: 'ofSites', query: { ...exampleWindow, site_id: [11, 12], limit: 100, sort: 'desc' } },
    { name: 'nextPage', query: { ...exampleWindow, after: '2026-08-20T14:03:07.250Z' } },
    { name: 'lines', query: { ...exampleWindow, format: 'ndjson' } },
  ],
  schemas: {
    headers: networkHeader,
    responses: { 200: pageSchema },
    responseHeaders: ['X-Data-As-Of', 'X-Total', 'X-Next-After'],
    query: pageQuery,
    otherResponses: { [mediaTypes.ndjson]: 'One row a line; total and cursor in headers.' },
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS'],
  async handle(request) {
    const page = parsePageRequest(request, pageQuery);
    const { siteIds, window } = page;
    const network = await scope.resolveNetwork(request);
    await scope.requireSites(network, siteIds);
    const shard = shardOf(network);
    return shard.pinGenerations([dataset.name], async ({ [dataset.name]: progress }) => {
      const selection = { dataset, network, window, siteIds, generation: progress?.generation };
      const [rows, total] = await Promise.all([
        readPage(shard, selection, page, progress, request.signal),
        shard.rowCounter.count(selection, progress, { signal: request.signal }),
      ]);
      const { contentType, content, headers } = renderPage(dataset.name, page, rows, total);
      return allowCompression(
        rawResponse(200, contentType, content, { Vary: 'Accept', ...headers, ...dataAsOfHeader(progress, [network]) }),
      );
    });
  },
});

/**
 * First reads only the part of the window that probably contains the page. If the page may be incomplete there, reads it from the
 * whole window.
 */
const readPage = async (
  { reader, rowCounter }: Pick<ReportShard, 'reader' | 'rowCounter'>,
  selection: RowSelection,
  page: PageRequest,
  progress: GenerationProgress | undefined,
  signal: AbortSignal,
): Promise<PageRows> => {
  const readWithin = async (part: TimeWindow): Promise<PageRows> => {
    const lines = await reader.lines(queryPage({ ...selection, window: part }, page), { signal });
    return cutPageRows(lines, page.limit, page.format);
  };
  const nearWindow = progress && findNearWindow(rowCounter.cachedDays(selection, progress), selection.window, page);
  if (nearWindow) {
    const rows = await readWithin(nearWindow);
    // If no row follows the page in this part, the page may be incomplete: more of its rows may be outside this part.
    if (rows.next) return rows;
  }
  return readWithin(selection.window);
};

/**
 * Renders the page in the JSON envelope, or as NDJSON lines with the total and the cursor in headers. The last page has no
 * X-Next-After.
 */
const renderPage = (datasetName: string, { format, limit }: PageRequest, page: PageRows, total: number) => {
  const { rows, count, last, next } = page;
  const nextAfter = last ? formatCursor(last, next) : null;
  const contentType = mediaTypes[format];
  if (format === 'json') {
    const fields = { total, limit, next_after: nextAfter, count };
    return { contentType, content: renderRowsEnvelope(`${datasetName} rows retrieved`, fields, rows), headers: {} };
  }
  const headers = { 'X-Total': String(total), ...(nextAfter !== null && { 'X-Next-After': nextAfter }) };
  return { contentType, content: rows, headers };
};
