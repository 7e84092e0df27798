import { allowCompression, type Route, streamResponse } from '@popsvc/platform/http';
import { downloadAsked, type DownloadFormat, downloadQuerySchema, mediaTypes } from '../asked/index.ts';
import { downloadQuery, type Extent } from '../queries/index.ts';
import { asOfHeader, callerName, fileName, type ProgressOf, type Report, type slots } from '../reports/index.ts';
import { networkHeader } from '../scope/index.ts';
import type { PageParts } from './page.route.ts';

export interface DownloadParts extends PageParts {
  readonly progress: ProgressOf;
  readonly enter: ReturnType<typeof slots>;
}

const forms = { csv: 'CSVWithNames', ndjson: 'JSONEachRow', parquet: 'Parquet' } as const;

const held: Readonly<Record<DownloadFormat, string>> = {
  csv: 'A row of names, then the rows. Arrays are JSON text, null is empty.',
  ndjson: 'One row a line, as in a page.',
  parquet: 'Rows with one type a column. A list that is null elsewhere is empty here.',
};
const media = Object.fromEntries(
  Object.entries(held).map(([format, what]) => [mediaTypes[format as DownloadFormat], what]),
);

const window = { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' };

/** A report as a file that the store writes and nobody parses. It passes on as fast as its reader reads. */
export const downloadRoute = (
  { dataset, dates, operations }: Report,
  { reader, scope, pinned, progress, enter }: DownloadParts,
): Route => ({
  method: 'get',
  path: `/api/v1/${dataset.name}/download`,
  summary: `Rows of ${dataset.name}, all in one file.`,
  description: dataset.about,
  access: 'reporting',
  operationId: operations.download,
  examples: [
    { name: 'wholeFile', query: window, headers: { 'X-Network-Name': 'Demo network' } },
    { name: 'forSpreadsheets', query: { ...window, site_id: [11], limit: 100, excel_safe: true } },
    { name: 'parquet', query: { ...window, format: 'parquet' } },
  ],
  schemas: {
    headers: networkHeader,
    query: downloadQuerySchema(dates),
    otherResponses: media,
    responseHeaders: ['X-Data-As-Of', 'Content-Disposition'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS'],
  async handle(asked) {
    const download = downloadAsked(asked, dates);
    const { window, siteIds, format } = download;
    const network = await scope.networkOf(asked);
    await scope.requireSites(network, siteIds);
    const written = await progress(dataset.name);
    const headers = {
      'Content-Type': mediaTypes[format],
      'Content-Disposition': `attachment; filename="${fileName(dataset.name, window, format)}"`,
      Vary: 'Accept',
      // Known before the rows are read, so it never promises too much.
      ...asOfHeader(written),
    };
    const file = streamResponse(200, headers, async (signal) => {
      const leave = enter(asked.principal);
      const [from, to] = [window.from, window.to].map(({ ms }) => new Date(ms).toISOString());
      const told = {
        caller: callerName(asked.principal),
        network_id: network,
        dataset: dataset.name,
        format,
        from,
        to,
      };
      asked.log.info(told, 'a file was asked for');
      try {
        const rows = await pinned([dataset.name], (pins) => {
          const extent: Extent = { dataset, network, window, siteIds, generation: pins[dataset.name]?.generation };
          return reader.stream(downloadQuery(extent, download), forms[format], { signal });
        });
        return rows.once('close', leave);
      } catch (error) {
        leave();
        throw error;
      }
    });
    // Parquet is compressed within.
    return format === 'parquet' ? file : allowCompression(file);
  },
});
