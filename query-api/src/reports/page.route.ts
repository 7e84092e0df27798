import { instantOf } from '@popsvc/contracts/time';
import type { QueryOptions } from '@popsvc/platform/clickhouse';
import type { Clock } from '@popsvc/platform/runtime';
import { allowCompression, rawResponse, type ResponseHeaders, type Route } from '@popsvc/http-kit/server';
import type { Dataset, Names, ReportRow } from '@popsvc/read-models/datasets';
import { dataAsOfHeader, type GenerationProgress } from '../generations/live-generations.ts';
import type { TimeWindow } from '../parameters/time-window.ts';
import { rowsEnvelope } from '../responses/json-rows.ts';
import { openPageBuffer, type PageBuffer } from '../responses/page-buffer.ts';
import { networkHeader, type Scope } from '../scope/scope.ts';
import type { NetworkShard, ShardOf } from '../shards/shards.ts';
import { formatCursor } from './cursor.ts';
import { readAtTime } from './earlier-time.ts';
import type { RenderWithNames } from './names.ts';
import { findNearWindow } from './near-window.ts';
import { createRowRenderer, readRows, renderItems } from './page-rows.ts';
import type { RowCounter } from './row-counts.ts';
import { queryPage, type RowSelection } from './report-queries.ts';
import type { Report } from './reports.ts';
import { mediaTypes, type PageRequest, parsePageRequest } from './request.ts';

export interface ReportShard extends NetworkShard {
  readonly rowCounter: RowCounter;
  readonly renderWithNames: RenderWithNames;
}

export interface PageDependencies {
  readonly scope: Scope;
  readonly shardOf: ShardOf<ReportShard>;
  /** Number of days for which rows are kept after they are replaced or deleted. */
  readonly historyDays: number;
  readonly clock: Clock;
}

/** Estimated size; the buffer of a page grows if rows are larger. */
const bytesOfRow = 2_048;

const exampleWindow = { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' };

export const pageRoute = (
  { dataset, operations, pageQuery, pageSchema }: Report,
  { scope, shardOf, historyDays, clock }: PageDependencies,
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
    { name: 'earlierTime', query: { ...exampleWindow, as_of: '2026-09-01T00:00:00Z' } },
  ],
  schemas: {
    headers: networkHeader,
    responses: { 200: pageSchema },
    responseHeaders: ['X-Data-As-Of', 'X-Total', 'X-Next-After'],
    query: pageQuery,
    otherResponses: { [mediaTypes.ndjson]: 'One row a line; total and cursor in headers.' },
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'HISTORY_GONE'],
  async handle(request) {
    const page = parsePageRequest(request, pageQuery);
    const { siteIds, window, asOfMs } = page;
    const network = await scope.resolveNetwork(request);
    await scope.requireSites(network, siteIds);
    const shard = shardOf(network);
    return shard.pinGenerations([dataset.name, 'registry'], async ({ [dataset.name]: progress, registry }) => {
      const options = { signal: request.signal };
      const time = { progress, historyDays, nowMs: clock.now() };
      return readAtTime(shard.reader, { dataset, network, asOfMs }, time, options, async (at) => {
        const selection = { dataset, network, window, siteIds, generation: progress?.generation, at };
        const [rows, total] = await Promise.all([
          readPage(shard, selection, page, progress, options),
          shard.rowCounter.count(selection, at ? undefined : progress, options),
        ]);
        const next = rows[page.limit];
        const shown = {
          rows: rows.slice(0, page.limit),
          total,
          nextAfter: next ? formatCursor(rows[page.limit - 1]!, next) : null,
        };
        const content = openPageBuffer((shown.rows.length + 1) * bytesOfRow);
        const render = (names: Names) => renderPage(dataset, page, shown, { names, content });
        const headers = await shard.renderWithNames(network, registry, render, options);
        return allowCompression({
          ...rawResponse(200, mediaTypes[page.format], content.content(), {
            Vary: 'Accept',
            ...headers,
            ...(at ? { 'X-Data-As-Of': instantOf(at.asOfMs) } : dataAsOfHeader(progress, [network])),
          }),
          onClosed: content.release,
        });
      });
    });
  },
});

/** If another page follows, the result ends with the first row of that page. */
const readPage = async (
  { reader, rowCounter }: Pick<ReportShard, 'reader' | 'rowCounter'>,
  selection: RowSelection,
  page: PageRequest,
  progress: GenerationProgress | undefined,
  options: QueryOptions,
): Promise<readonly ReportRow[]> => {
  const readWithin = async (part: TimeWindow) =>
    readRows(await reader.rowBinary(queryPage({ ...selection, window: part }, page), options), selection.dataset);
  const nearWindow =
    progress && !selection.at && findNearWindow(rowCounter.cachedDays(selection, progress), selection.window, page);
  if (nearWindow) {
    const rows = await readWithin(nearWindow);
    // Without a row after the page, more rows of the page may be outside this part.
    if (rows.length > page.limit) return rows;
  }
  return readWithin(selection.window);
};

interface Page {
  readonly rows: readonly ReportRow[];
  readonly total: number;
  readonly nextAfter: string | null;
}

/** Returns headers with the total and the cursor for NDJSON, and none for JSON. */
const renderPage = async (
  dataset: Dataset,
  { format, limit }: PageRequest,
  { rows, total, nextAfter }: Page,
  { names, content }: { readonly names: Names; readonly content: PageBuffer },
): Promise<ResponseHeaders> => {
  content.truncate(0);
  const render = createRowRenderer(dataset, names);
  if (format === 'ndjson') {
    await renderItems(rows, render, { page: content, between: '\n' });
    if (rows.length > 0) content.write('\n');
    return { 'X-Total': String(total), ...(nextAfter !== null && { 'X-Next-After': nextAfter }) };
  }
  const fields = { total, limit, next_after: nextAfter, count: rows.length };
  const { before, after } = rowsEnvelope(`${dataset.name} rows retrieved`, fields);
  content.write(before);
  await renderItems(rows, render, { page: content, between: ',' });
  content.write(after);
  return {};
};
