import { invalidParam } from '@popsvc/contracts/errors';
import { findShard, nameInShard } from '@popsvc/domain/partitioning';
import type { ShardReader } from '@popsvc/platform/clickhouse';
import {
  allowCompression,
  idsParameter,
  instantParameter,
  jsonResponse,
  parseQuery,
  type Route,
} from '@popsvc/http-kit/server';
import { type Postgres, readGenerations } from '@popsvc/platform/postgres';
import type { ProjectionName } from '@popsvc/read-models/generations';
import { z } from 'zod';
import { networkParameter, pageParameters } from '../requests/parameters.ts';
import { requireKnownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { CompletenessResponse } from './schema.ts';
import { hourMs } from './queries.ts';
import { readCompleteness, screenPages } from './read-completeness.ts';

export interface CompletenessDependencies {
  readonly shards: readonly ShardReader[];
  readonly postgres: Postgres;
}

const [defaultHours, maxHours] = [48, 31 * 24];

const hourBefore = (ms: number) => Math.floor(ms / hourMs) * hourMs;
const hourAfter = (ms: number) => Math.ceil(ms / hourMs) * hourMs;

const CompletenessQuery = z.strictObject({
  network: networkParameter,
  from: instantParameter.optional().describe(`From the hour of it; default ${defaultHours} hours before \`to\`.`),
  to: instantParameter.optional().describe('Until the end of the hour that contains it; default the current hour.'),
  site_id: idsParameter.describe('Screens whose last site is one of these; repeat the parameter for several.'),
  ...pageParameters(screenPages, 200),
});

const windowOf = (from: number | undefined, to = Date.now()) => {
  const end = hourAfter(to);
  const begin = hourBefore(from ?? end - defaultHours * hourMs);
  if (begin >= end) throw invalidParam('from', 'from must be before to');
  if (end - begin > maxHours * hourMs) throw invalidParam('to', 'to must be 31 days after from at most');
  return { from: begin, to: end };
};

export const completenessRoute = ({ shards, postgres }: CompletenessDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/completeness',
  summary: 'The hourly activity of each screen of a network: playing, silent, offline or backfilled.',
  operationId: 'getCompleteness',
  access: 'viewer',
  examples: [{ name: 'lastTwoDays', query: { network: 1 } }],
  schemas: { query: CompletenessQuery, responses: { 200: CompletenessResponse } },
  async handle({ query, signal }) {
    const { from, to, site_id: siteIds, ...filter } = parseQuery(CompletenessQuery, query);
    const wanted = { ...filter, siteIds, ...windowOf(from, to) };
    const [{ registry }, generations] = await Promise.all([registryLog.readCurrent(), readGenerations(postgres)]);
    requireKnownFilter(registry, filter);
    const { shard, reader } = findShard(shards, filter.network);
    const liveOf = (name: ProjectionName) =>
      generations.find(({ projection, state }) => projection === nameInShard(name, shard) && state === 'live')
        ?.generation ?? 1;
    const live = { coffee: liveOf('coffee'), uptime: liveOf('uptime') };
    return allowCompression(
      jsonResponse(200, await readCompleteness(reader, registry, wanted, { signal, nowMs: Date.now(), live })),
    );
  },
});
