import { PLAY_REFERENCES } from '@popsvc/contracts/responses';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { invalidParam } from '@popsvc/contracts/errors';
import { findShard } from '@popsvc/domain/partitioning';
import type { ShardReader } from '@popsvc/platform/clickhouse';
import { instantParameter, jsonResponse, parseQuery, type Route } from '@popsvc/http-kit/server';
import type { UnknownReference } from '@popsvc/read-models/queries';
import { z } from 'zod';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { listLimit, networkIdField, vendorField, vendorFilterParameters } from '../requests/parameters.ts';
import { createShardsAwayError, isShardAway } from '../requests/shards-away.ts';
import { listUnknownReferences, type ReferencesFilter } from './queries.ts';

export interface UnknownReferencesDependencies {
  readonly shards: readonly ShardReader[];
}

const dayMs = 86_400_000;
const [defaultDays, maxDays] = [7, 31];

const UnknownReferencesResponse = z
  .object({
    from: Instant.describe('Only plays that began at or after this time.'),
    to: Instant.nullable().describe('Only plays that began before this time; null: no limit.'),
    references: z
      .array(
        z.object({
          network_id: networkIdField,
          vendor: vendorField,
          field: z.enum(PLAY_REFERENCES).describe('Field of the play in the canonical schema.'),
          value: z.string().describe('The id that the registry does not contain.'),
          count: z.int().min(1).describe('Number of plays; approximate above 65,536.'),
          last_received_at: Instant.describe('When the newest of these plays was received.'),
        }),
      )
      .describe('Most frequent first.'),
    is_truncated: z.boolean().describe('Whether there are more than `limit`.'),
  })
  .meta({ id: 'UnknownReferences' });

const UnknownReferencesQuery = z.strictObject({
  ...vendorFilterParameters,
  from: instantParameter
    .optional()
    .describe(
      `Only plays that began at or after this time; default ${defaultDays} days before \`to\`, at most ${maxDays}.`,
    ),
  to: instantParameter.optional().describe('Only plays that began before this time; default: no limit.'),
  limit: listLimit(100),
});

const startOf = (from: number | undefined, to: number): number => {
  const start = from ?? to - defaultDays * dayMs;
  if (start >= to) throw invalidParam('from', 'from must be before to');
  if (to - start > maxDays * dayMs) throw invalidParam('from', `from must be ${maxDays} days before to at most`);
  return start;
};

/** Reads up to `limit` references of each shard, the most frequent first. */
const listOfAllShards = async (
  shards: readonly ShardReader[],
  filter: ReferencesFilter,
  signal: AbortSignal,
): Promise<readonly UnknownReference[]> => {
  if (shards.length === 1) return listUnknownReferences(shards[0]!.reader, filter, signal);
  const results = await Promise.allSettled(shards.map(({ reader }) => listUnknownReferences(reader, filter, signal)));
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ shard: shards[index]!.shard, error: result.reason as Error }] : [],
  );
  const [first] = failures;
  if (first) {
    const other = failures.find(({ error }) => !isShardAway(error));
    if (other) throw other.error;
    throw createShardsAwayError(
      failures.map(({ shard }) => shard),
      first.error,
    );
  }
  return results
    .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    .sort((one, other) => other.count - one.count);
};

const toListedReference = ({ last_received_ms, ...reference }: UnknownReference) => ({
  ...reference,
  last_received_at: instantOf(last_received_ms),
});

export const unknownReferencesRoute = ({ shards }: UnknownReferencesDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/unknown-references',
  summary:
    'Ids in plays that the registry does not contain, most frequent first; of plays of the last 7 days by default.',
  description:
    'Compares the plays in the reports with the current registry: an id is no longer listed once it is registered. Includes plays ' +
    'of the API, plays that mappings made, and plays of bulk files.',
  operationId: 'listUnknownReferences',
  access: 'viewer',
  examples: [{ name: 'ofTheDemoVendor', query: { network: 1, vendor: 'demo', limit: 10 } }],
  schemas: { query: UnknownReferencesQuery, responses: { 200: UnknownReferencesResponse } },
  async handle({ query, signal }) {
    const { from: given, to, limit, ...filter } = parseQuery(UnknownReferencesQuery, query);
    const from = startOf(given, to ?? Date.now());
    const wanted = { ...filter, from, to, limit: limit + 1 };
    const found =
      filter.network === undefined
        ? await listOfAllShards(shards, wanted, signal)
        : await listUnknownReferences(findShard(shards, filter.network).reader, wanted, signal);
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    return jsonResponse(200, {
      from: instantOf(from),
      to: to === undefined ? null : instantOf(to),
      references: found.slice(0, limit).map(toListedReference),
      is_truncated: found.length > limit,
    });
  },
});
