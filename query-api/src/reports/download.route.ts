import { type AcquireSlot, allowCompression, type Route, streamResponse } from '@popsvc/http-kit/server';
import { instantOf } from '@popsvc/contracts/time';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import type { TimeWindow } from '../parameters/time-window.ts';
import { networkHeader, type Scope } from '../scope/scope.ts';
import type { ShardOf } from '../shards/shards.ts';
import { queryDownload } from './download-query.ts';
import { openDownload } from './download-stream.ts';
import { readAtTime } from './earlier-time.ts';
import type { PageDependencies } from './page.route.ts';
import type { Report } from './reports.ts';
import { type DownloadFormat, mediaTypes, parseDownloadRequest } from './request.ts';

export interface DownloadDependencies extends Pick<PageDependencies, 'historyDays' | 'clock'> {
  readonly scope: Scope;
  readonly shardOf: ShardOf;
  readonly acquireDownloadSlot: AcquireSlot;
}

export const clickHouseFormats = { csv: 'CSVWithNames', ndjson: 'JSONEachRow', parquet: 'Parquet' } as const;

const fileDescriptions: Readonly<Record<DownloadFormat, string>> = {
  csv: 'A row of names, then the rows. Arrays are JSON text, null is empty.',
  ndjson: 'One row a line, as in a page.',
  parquet: 'Rows with one type per column. A list that is null in other formats is empty.',
};
const otherResponses = Object.fromEntries(
  Object.entries(fileDescriptions).map(([format, about]) => [mediaTypes[format as DownloadFormat], about]),
);

const window = { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' };

export const downloadRoute = (
  { dataset, downloadQuery, operations }: Report,
  { scope, shardOf, acquireDownloadSlot, historyDays, clock }: DownloadDependencies,
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
    { name: 'lines', query: { ...window, format: 'ndjson' } },
    { name: 'parquet', query: { ...window, format: 'parquet' } },
  ],
  schemas: {
    headers: networkHeader,
    query: downloadQuery,
    otherResponses,
    responseHeaders: ['X-Data-As-Of', 'Content-Disposition'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'HISTORY_GONE'],
  async handle(request) {
    const download = parseDownloadRequest(request, downloadQuery);
    const { window, siteIds, format, asOfMs } = download;
    const network = await scope.resolveNetwork(request);
    await scope.requireSites(network, siteIds);
    const { reader, pinGenerations, readProgress } = shardOf(network);
    const headers = {
      'Content-Type': mediaTypes[format],
      'Content-Disposition': `attachment; filename="${fileName(dataset.name, window, format)}"`,
      Vary: 'Accept',
      ...(asOfMs === undefined
        ? dataAsOfHeader(await readProgress(dataset.name), [network])
        : { 'X-Data-As-Of': instantOf(asOfMs) }),
    };
    const fields = {
      network_id: network,
      dataset: dataset.name,
      format,
      from: new Date(window.from.ms).toISOString(),
      to: new Date(window.to.ms).toISOString(),
    };
    const file = streamResponse(200, headers, (signal) =>
      openDownload(request, acquireDownloadSlot, fields, () =>
        pinGenerations([dataset.name], ({ [dataset.name]: progress }) => {
          const time = { progress, historyDays, nowMs: clock.now() };
          return readAtTime(reader, { dataset, network, asOfMs }, time, { signal }, (at) => {
            const selection = { dataset, network, window, siteIds, generation: progress?.generation, at };
            return reader.stream(queryDownload(selection, download), clickHouseFormats[format], { signal });
          });
        }),
      ),
    );
    // Parquet files are compressed already.
    return format === 'parquet' ? file : allowCompression(file);
  },
});

const compactDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');

const fileName = (report: string, { from, to }: TimeWindow, format: DownloadFormat): string =>
  `${report}_${compactDate(from.ms)}_${compactDate(to.ms)}.${format}`;
