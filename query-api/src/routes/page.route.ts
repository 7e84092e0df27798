import { reportPages } from '../reports/report-page.ts';
import { allowCompression, type Route } from '@popsvc/platform/http';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { mediaTypes, pageAsked, pageQuerySchema, type Window } from '../asked/index.ts';
import { type Extent, pageQuery } from '../queries/index.ts';
import {
  asOfHeader,
  cutPage,
  type Page,
  pageAnswer,
  type Pinned,
  type Progress,
  type Report,
} from '../reports/index.ts';
import { networkHeader, type Scope } from '../scope/index.ts';
import type { Totals } from '../totals/index.ts';

export interface PageParts {
  readonly reader: ClickHouseReader;
  readonly scope: Scope;
  readonly pinned: Pinned;
}

export interface CountedParts extends PageParts {
  readonly totals: Totals;
}

const window = { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' };

/** A report in pages. The rows pass through as the store writes them. */
export const pageRoute = (
  { dataset, dates, operations }: Report,
  { reader, scope, pinned, totals }: CountedParts,
): Route => ({
  method: 'get',
  path: `/api/v1/${dataset.name}`,
  summary: `Rows of ${dataset.name}, a page at a time.`,
  description: dataset.about,
  access: 'reporting',
  operationId: operations.page,
  examples: [
    { name: 'firstPage', query: window, headers: { 'X-Network-Name': 'Demo network' } },
    { name: 'ofSites', query: { ...window, site_id: [11, 12], limit: 100, sort: 'desc' } },
    { name: 'nextPage', query: { ...window, after: '2026-08-20T14:03:07.250Z' } },
    { name: 'lines', query: { ...window, format: 'ndjson' } },
  ],
  schemas: {
    headers: networkHeader,
    responses: { 200: reportPages[dataset.name]! },
    responseHeaders: ['X-Data-As-Of', 'X-Total', 'X-Next-After'],
    query: pageQuerySchema(dates),
    otherResponses: { [mediaTypes.ndjson]: 'One row a line; total and cursor in headers.' },
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS'],
  async handle(asked) {
    const page = pageAsked(asked, dates);
    const { siteIds, window, limit, format } = page;
    const network = await scope.networkOf(asked);
    await scope.requireSites(network, siteIds);
    const { signal } = asked;
    const read = async (written: Progress | undefined) => {
      const extent: Extent = { dataset, network, window, siteIds, generation: written?.generation };
      const within = async (part: Window): Promise<Page> =>
        cutPage(await reader.lines(pageQuery({ ...extent, window: part }, page), { signal }), limit, format);
      const found = async (): Promise<Page> => {
        const near = totals.near(extent, page, written);
        const first = near && (await within(near));
        // Only a page that another one follows is known to be whole there.
        return first && first.nextAfter !== null ? first : within(window);
      };
      const [rows, total] = await Promise.all([found(), totals.total(extent, written, { signal })]);
      const answer = pageAnswer({ name: dataset.name, format, limit, total, page: rows });
      return allowCompression({ ...answer, headers: { ...answer.headers, ...asOfHeader(written) } });
    };
    return pinned([dataset.name], (pins) => read(pins[dataset.name]));
  },
});
