import { reportLimits, withEnvelope } from '@popsvc/contracts/responses';
import {
  type AcquireSlot,
  allowCompression,
  idsParameter,
  integerParameter,
  jsonResponse,
  parsedParameter,
  parseQuery,
  rawResponse,
  type ResponseHeaders,
  type Route,
  type RouteRequest,
  streamResponse,
} from '@popsvc/http-kit/server';
import type { Names, ReportRow } from '@popsvc/read-models/datasets';
import { z } from 'zod';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { openDownload } from '../reports/download-stream.ts';
import { clickHouseFormats } from '../reports/download.route.ts';
import type { PageDependencies, ReportShard } from '../reports/page.route.ts';
import { createRowRenderer, renderItems } from '../reports/page-rows.ts';
import type { Report } from '../reports/reports.ts';
import { mediaTypes } from '../reports/request.ts';
import { rowsEnvelope } from '../responses/json-rows.ts';
import { openPageBuffer } from '../responses/page-buffer.ts';
import { networkHeader } from '../scope/scope.ts';
import { changeFileColumns } from './change-queries.ts';
import { formatChangesCursor, parseChangesCursor } from './cursor.ts';
import { type Change, createChangesReader, requireProgress } from './read-changes.ts';

const { min, max, default: defaultLimit } = reportLimits.limit;

const ChangesQuery = z.strictObject({
  since: parsedParameter(
    parseChangesCursor,
    () => 'must be the next_since of an earlier response, or of /changes/start',
  )
    .optional()
    .describe('Continue after this cursor; without it, all rows are changes.'),
  limit: integerParameter(min, max).default(defaultLimit).describe('Maximum number of changes.'),
  site_id: idsParameter.describe('Only rows that belong or belonged to these sites; repeat it for several.'),
});
const StartQuery = z.strictObject({});
const FileQuery = ChangesQuery.omit({ limit: true }).extend({
  format: z.enum(['ndjson', 'parquet']).default('ndjson').describe('Format of the file.'),
});

const nextSince = z.string().describe('Value of `since` for the next request.');

const fileDescription =
  'Flat rows in a stable order: apply them one after the other. ' +
  Object.entries(changeFileColumns)
    .map(([name, about]) => `\`${name}\`: ${about}`)
    .join(' ') +
  ' Then the columns of the report: of a withdrawn row the last values, of a rename none.';

const changeSchema = (row: z.ZodObject, keyColumn: string | undefined, id: string) => {
  const number = keyColumn === undefined ? 'It is not in the row' : `It is the ${keyColumn} of the row`;
  const key = z.int().min(0).describe(`Identifies the row, also in later changes. ${number}.`);
  return z
    .discriminatedUnion('op', [
      z
        .object({ op: z.literal('upsert').describe('Insert the row, or replace the row with this key.'), key, row })
        .describe('The row is new, or replaces the row with this key.'),
      z
        .object({ op: z.literal('delete').describe('Delete the row with this key.'), key })
        .describe('The row is withdrawn, or belongs to other sites now.'),
      z
        .object({
          op: z.literal('rename').describe('Update the columns of all rows with this id.'),
          kind: z.enum(['network', 'site', 'location', 'device', 'feeder', 'camera']).describe('What has a new name.'),
          id: z.int().min(0).describe('Id of the network, site, location, device, feeder or camera.'),
          columns: z.record(z.string(), z.string()).describe('New values of columns in all rows with this id.'),
        })
        .describe('Rows that show the id show another name.'),
    ])
    .meta({ id });
};

const startDescription = (keyColumn: string | undefined): string =>
  keyColumn === undefined
    ? 'For readers who do not need earlier rows. The rows of pages and files do not show the key of changes, so a copy of the report ' +
      'cannot begin with them and this cursor: read the changes without `since`.'
    : 'For readers who do not need earlier rows, or who begin a copy with pages or files: request the cursor, read the report, and ' +
      `then the changes since the cursor. The key of a row is its \`${keyColumn}\`.`;

/** Estimated size; the buffer of a page grows if changes are larger. */
const bytesOfChange = 2_048;

const renderChange =
  (render: (row: ReportRow) => string) =>
  (change: Change): string => {
    if (change.op === 'rename') return JSON.stringify(change);
    const { op, row } = change;
    return op === 'delete'
      ? `{"op":"delete","key":${row.number}}`
      : `{"op":"upsert","key":${row.number},"row":${render(row)}}`;
  };

export interface ChangesDependencies extends Pick<PageDependencies, 'scope' | 'shardOf'> {
  readonly acquireDownloadSlot: AcquireSlot;
}

export const changesRoutes = (
  { dataset, derived, keyColumn, operations, rowSchema }: Report,
  { scope, shardOf, acquireDownloadSlot }: ChangesDependencies,
): readonly Route[] => {
  const pinned = async <T>(
    request: RouteRequest,
    siteIds: readonly number[],
    use: (found: {
      readonly changes: ReturnType<typeof createChangesReader>;
      readonly render: (draw: (names: Names) => Promise<void>) => Promise<void>;
      readonly headers: ResponseHeaders;
      readonly reader: ReportShard['reader'];
      readonly network: number;
    }) => Promise<T>,
  ): Promise<T> => {
    const network = await scope.resolveNetwork(request);
    await scope.requireSites(network, siteIds);
    const shard = shardOf(network);
    const options = { signal: request.signal };
    return shard.pinGenerations([dataset.name, 'registry'], ({ [dataset.name]: report, registry }) => {
      const live = requireProgress(report, registry);
      return use({
        changes: createChangesReader(shard.reader, { dataset, derived, network, siteIds }, live, options),
        render: (draw) => shard.renderWithNames(network, registry, draw, options),
        headers: dataAsOfHeader(report, [network]),
        reader: shard.reader,
        network,
      });
    });
  };
  return [
    {
      method: 'get',
      path: `/api/v1/${dataset.name}/changes`,
      summary: `What changed in ${dataset.name}, in the order of the projection.`,
      description:
        'Rows that are new, changed or withdrawn, and new names. A reader that applies them in their order has the rows of the report. ' +
        'A change of a campaign, strategy, creative, subscription or vendor sends its rows again. ' +
        'Continue with `next_since`, at once while `has_more` is true. A row may be sent again without a difference.',
      access: 'reporting',
      operationId: `list${operations.changes}`,
      examples: [{ name: 'first', query: { limit: 100 }, headers: { 'X-Network-Name': 'Demo network' } }],
      schemas: {
        headers: networkHeader,
        query: ChangesQuery,
        responses: {
          200: withEnvelope(
            z.object({
              next_since: nextSince,
              has_more: z.boolean().describe('Whether further changes are there now.'),
              changes: z
                .array(changeSchema(rowSchema, keyColumn, operations.changes.replace(/s$/, '')))
                .describe('In the order in which to apply them.'),
            }),
          ),
        },
        responseHeaders: ['X-Data-As-Of'],
      },
      errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'HISTORY_GONE'],
      handle(request) {
        const { since, limit, site_id: siteIds = [] } = parseQuery(ChangesQuery, request.query);
        return pinned(request, siteIds, async ({ changes: reader, render, headers }) => {
          const { changes, next, hasMore } = await reader.read(since, limit);
          const content = openPageBuffer((changes.length + 1) * bytesOfChange);
          const fields = { next_since: formatChangesCursor(next), has_more: hasMore };
          const { before, after } = rowsEnvelope(`${dataset.name} changes retrieved`, fields, 'changes');
          await render(async (names) => {
            content.truncate(0);
            content.write(before);
            const renderOne = renderChange(createRowRenderer(dataset, names));
            await renderItems(changes, renderOne, { page: content, between: ',' });
            content.write(after);
          });
          return allowCompression({
            ...rawResponse(200, mediaTypes.json, content.content(), headers),
            onClosed: content.release,
          });
        });
      },
    },
    {
      method: 'get',
      path: `/api/v1/${dataset.name}/changes/download`,
      summary: `What changed in ${dataset.name}, all in one file.`,
      description: 'Continue with the header `X-Next-Since`, at once if `X-Has-More` is true.',
      access: 'reporting',
      operationId: `download${operations.changes}`,
      examples: [
        { name: 'lines', headers: { 'X-Network-Name': 'Demo network' } },
        { name: 'parquet', query: { format: 'parquet' }, headers: { 'X-Network-Name': 'Demo network' } },
      ],
      schemas: {
        headers: networkHeader,
        query: FileQuery,
        otherResponses: { [mediaTypes.ndjson]: fileDescription, [mediaTypes.parquet]: fileDescription },
        responseHeaders: ['X-Data-As-Of', 'X-Next-Since', 'X-Has-More', 'Content-Disposition'],
      },
      errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'HISTORY_GONE'],
      handle(request) {
        const { since, format, site_id: siteIds = [] } = parseQuery(FileQuery, request.query);
        return pinned(request, siteIds, async ({ changes, headers, reader, network }) => {
          const { query, next, hasMore } = await changes.planFile(since, format);
          const fields = { network_id: network, dataset: `${dataset.name} changes`, format };
          const file = streamResponse(
            200,
            {
              'Content-Type': mediaTypes[format],
              'Content-Disposition': `attachment; filename="${dataset.name}_changes.${format}"`,
              'X-Next-Since': formatChangesCursor(next),
              'X-Has-More': String(hasMore),
              ...headers,
            },
            (signal) =>
              openDownload(request, acquireDownloadSlot, fields, () =>
                reader.stream(query, clickHouseFormats[format], { signal }),
              ),
          );
          return format === 'parquet' ? file : allowCompression(file);
        });
      },
    },
    {
      method: 'get',
      path: `/api/v1/${dataset.name}/changes/start`,
      summary: `A cursor of the changes of ${dataset.name} for now.`,
      description: startDescription(keyColumn),
      access: 'reporting',
      operationId: `start${operations.changes}`,
      examples: [{ name: 'now', headers: { 'X-Network-Name': 'Demo network' } }],
      schemas: {
        headers: networkHeader,
        query: StartQuery,
        responses: { 200: withEnvelope(z.object({ next_since: nextSince })) },
        responseHeaders: ['X-Data-As-Of'],
      },
      errorCodes: ['FORBIDDEN_NETWORKS'],
      handle(request) {
        parseQuery(StartQuery, request.query);
        return pinned(request, [], async ({ changes, headers }) => {
          const data = { next_since: formatChangesCursor(await changes.current()) };
          return jsonResponse(200, { status: true, message: `${dataset.name} cursor created`, data }, headers);
        });
      },
    },
  ];
};
