import { raw, type Route } from '@popsvc/platform/http';
import type { Reader } from '@popsvc/platform/read-store';
import { pageAsked } from '../asked/index.ts';
import { type Extent, pageQuery, totalQuery } from '../queries/index.ts';
import { type AsOf, cutPage, type Page, type Report } from '../reports/index.ts';
import type { Scope } from '../scope/index.ts';

export interface PageParts {
  readonly reader: Reader;
  readonly scope: Scope;
  readonly asOf: AsOf;
}

/** A report in pages. The rows pass through as the store writes them. */
export const pageRoute = ({ dataset, dates }: Report, { reader, scope, asOf }: PageParts): Route => ({
  method: 'get',
  path: `/api/v1/${dataset.name}`,
  summary: dataset.about,
  access: 'reporting',
  async handle(asked) {
    const page = pageAsked(asked.query, dates);
    const { siteIds, window, limit } = page;
    const network = await scope.networkOf(asked);
    const [asOfHeader] = await Promise.all([asOf(dataset.name), scope.requireSites(network, siteIds)]);
    const extent: Extent = { dataset, network, window, siteIds };
    const { signal } = asked;
    const [lines, totals] = await Promise.all([
      reader.lines(pageQuery(extent, page), { signal }),
      reader.rows<{ total: number }>(totalQuery(extent), { signal }),
    ]);
    const content = bodyOf(dataset.name, { limit, total: totals[0]?.total ?? 0 }, cutPage(lines, limit));
    return raw(200, 'application/json; charset=utf-8', content, asOfHeader);
  },
});

const bodyOf = (name: string, { limit, total }: { limit: number; total: number }, page: Page): Buffer => {
  const { count, nextAfter, rows } = page;
  const message = `${name} rows retrieved`;
  const data = JSON.stringify({ total, limit, next_after: nextAfter, count });
  const head = `{"status":true,"message":${JSON.stringify(message)},"data":${data.slice(0, -1)},"rows":[`;
  return Buffer.concat([Buffer.from(head), rows, Buffer.from(']}}')]);
};
