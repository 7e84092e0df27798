import { ApiError } from '@popsvc/contracts/errors';
import { describeShardCount, maxShards } from '@popsvc/domain/partitioning';
import { integerParameter, jsonResponse, noParameters, parseParameters, type Route } from '@popsvc/http-kit/server';
import {
  countRowsOfSet,
  forgetProjectionSet,
  type Postgres,
  type ProjectionSet,
  readFormerSets,
  type TableRows,
} from '@popsvc/platform/postgres';
import { z } from 'zod';

export interface FormerSetsDependencies {
  readonly postgres: Postgres;
  readonly shardCount: number;
}

const FormerSet = z
  .object({
    shards: z.int().min(1).describe('Number of shards; 1 for a single server or cluster.'),
    projections: z.array(z.string()).describe('Names of its projections.'),
    used_by: z.array(z.string()).describe('The processes that run its projections. Only an unused set is removed.'),
    rows: z
      .array(
        z.object({
          table: z.string().describe('Table of PostgreSQL.'),
          rows: z.int().min(1).describe('Rows of the set in the table.'),
        }),
      )
      .describe('What PostgreSQL stores for it, by table.'),
  })
  .meta({ id: 'FormerSet' });

const toFormerSet = ({ usedBy, ...set }: ProjectionSet, rows: readonly TableRows[]) => ({
  ...set,
  used_by: usedBy,
  rows,
});

const listRoute = ({ postgres, shardCount }: FormerSetsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/former-sets',
  summary: 'Projections of another number of shards, which PostgreSQL has after a change of that number.',
  operationId: 'listFormerSets',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(FormerSet) } },
  async handle() {
    const sets = await readFormerSets(postgres, shardCount);
    const listed = sets.map(async (set) => toFormerSet(set, await countRowsOfSet(postgres, set)));
    return jsonResponse(200, await Promise.all(listed));
  },
});

const SetPath = z.object({ shards: integerParameter(1, maxShards).describe('Number of shards of the set.') });

const forgetRoute = ({ postgres, shardCount }: FormerSetsDependencies): Route => ({
  method: 'delete',
  path: '/ops/v1/former-sets/:shards',
  summary: 'Removes from PostgreSQL what it stores for the projections of a former number of shards.',
  description: 'May be repeated. Changes nothing in ClickHouse: drop the databases of the former set there.',
  operationId: 'forgetFormerSet',
  access: 'admin',
  examples: [{ name: 'ofFiveShards', params: { shards: 5 } }],
  schemas: { params: SetPath, query: noParameters, responses: { 200: FormerSet } },
  errorCodes: ['CONFLICT'],
  async handle(request) {
    const { shards } = parseParameters({ params: SetPath, query: noParameters }, request).params;
    const described = describeShardCount(shards);
    if (shards === shardCount)
      throw new ApiError('CONFLICT', `The projections of ${described} are those of this operations server.`);
    const forgotten = await forgetProjectionSet(postgres, shards);
    if ('usedBy' in forgotten)
      throw new ApiError(
        'CONFLICT',
        `These processes run the projections of ${described}: ${forgotten.usedBy.join(', ')}. Stop them first.`,
      );
    request.log.info({ shards, projections: forgotten.set.projections }, 'former set of projections removed');
    return jsonResponse(200, toFormerSet(forgotten.set, forgotten.rows));
  },
});

export const formerSetsRoutes = (dependencies: FormerSetsDependencies): readonly Route[] => [
  listRoute(dependencies),
  forgetRoute(dependencies),
];
