import { type Route, stream } from '@popsvc/platform/http';
import { downloadAsked } from '../asked/index.ts';
import { csvQuery, type Extent } from '../queries/index.ts';
import { fileName, type Report, type slots } from '../reports/index.ts';
import type { PageParts } from './page.route.ts';

export interface DownloadParts extends PageParts {
  readonly enter: ReturnType<typeof slots>;
}

/** A report as a CSV file that the store writes and nobody parses. It passes on as fast as its reader reads. */
export const downloadRoute = ({ dataset, dates }: Report, { reader, scope, asOf, enter }: DownloadParts): Route => ({
  method: 'get',
  path: `/api/v1/${dataset.name}/download`,
  summary: `${dataset.about} As a CSV file.`,
  access: 'reporting',
  async handle(asked) {
    const download = downloadAsked(asked.query, dates);
    const { window, siteIds } = download;
    const network = await scope.networkOf(asked);
    const [asOfHeader] = await Promise.all([asOf(dataset.name), scope.requireSites(network, siteIds)]);
    const extent: Extent = { dataset, network, window, siteIds };
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName(dataset.name, window)}"`,
      ...asOfHeader,
    };
    return stream(200, headers, async (signal) => {
      const leave = enter(asked.principal);
      try {
        const rows = await reader.stream(csvQuery(extent, download), 'CSVWithNames', { signal });
        return rows.once('close', leave);
      } catch (error) {
        leave();
        throw error;
      }
    });
  },
});
