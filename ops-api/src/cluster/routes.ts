import { Instant, instantOf } from '@popsvc/contracts/time';
import { jsonResponse, noParameters, type Route } from '@popsvc/http-kit/server';
import { listMembers, type Postgres, readPartitionCount } from '@popsvc/platform/postgres';
import { type ReplicaState, serverStates } from '@popsvc/read-models/generations';
import { z } from 'zod';
import { describeFailure } from '../diagnostics/failures.ts';

export interface ClusterDependencies {
  readonly postgres: Postgres;
  /** Never throws. */
  readonly readReplicas: () => Promise<readonly ReplicaState[]>;
}

const Member = z
  .object({
    name: z.string().describe('`POPSVC_INSTANCE` of the process.'),
    alive: z.boolean().describe('Whether it reported in the last ten seconds.'),
    started_at: Instant.describe('When the process started.'),
    seen_at: Instant.describe('When it last reported.'),
    partitions: z
      .array(
        z.object({
          projection: z.string().describe('The projection, with its shard if there are several.'),
          partition: z.int().min(0).describe('Index of the partition, from 0.'),
        }),
      )
      .describe('The partitions of live projections that it runs.'),
  })
  .meta({ id: 'Member' });

const Replica = z
  .object({
    server: z.string().describe('Host and port.'),
    shard: z.int().min(1).describe('Number of its shard.'),
    state: z
      .enum(serverStates)
      .describe(
        '`not-ready`: no report is read from it, because its tables are not verified or it is behind; `no-database`: it responds, and the database of the service is missing; `wrong-shard`: it is not used, because its database belongs to another shard; `down`: it does not respond.',
      ),
    error: z
      .string()
      .nullable()
      .describe(
        'Why it is `no-database`, `wrong-shard` or `down`; its other figures are 0 then. Null in other states.',
      ),
    read_only_tables: z.int().min(0).describe('Tables that cannot be written, because the server lost Keeper.'),
    delay_seconds: z.number().min(0).describe('How far the table that is furthest behind lags.'),
    queued_tasks: z.int().min(0).describe('Replication tasks of all tables.'),
    lost_parts: z.int().min(0).describe('Parts that no replica has.'),
    broken_parts: z
      .int()
      .min(0)
      .describe('Parts that it found damaged and detached. It fetched them again unless they are lost.'),
  })
  .meta({ id: 'Replica' });

const ClusterResponse = z.object({
  partitions: z.int().min(1).describe('Number of partitions, in each shard, of the projections that are split.'),
  members: z.array(Member).describe('Processes of projectors that reported in the last day, by name.'),
  replicas: z.array(Replica).describe('The ClickHouse servers in `CLICKHOUSE_URL`, in its order.'),
});
type ClusterResponse = z.output<typeof ClusterResponse>;

const describeReplica = ({
  replica,
  shard,
  state,
  error,
  ...figures
}: ReplicaState): ClusterResponse['replicas'][number] => ({
  server: replica,
  shard: shard.index + 1,
  state,
  error: error === undefined ? null : describeFailure(error),
  read_only_tables: figures.readOnlyTables,
  delay_seconds: figures.delaySeconds,
  queued_tasks: figures.queuedTasks,
  lost_parts: figures.lostParts,
  broken_parts: figures.brokenParts,
});

export const clusterRoute = ({ postgres, readReplicas }: ClusterDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/cluster',
  summary: 'Processes of projectors with the partitions that they run, and ClickHouse servers.',
  description: 'Responds within some seconds, also while servers of ClickHouse are down.',
  operationId: 'showCluster',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: ClusterResponse } },
  async handle() {
    const [partitions, members, replicas] = await Promise.all([
      readPartitionCount(postgres),
      listMembers(postgres),
      readReplicas(),
    ]);
    return jsonResponse(200, {
      partitions,
      members: members.map(({ member, isAlive, startedAt, seenAt, held }) => ({
        name: member,
        alive: isAlive,
        started_at: instantOf(startedAt.getTime()),
        seen_at: instantOf(seenAt.getTime()),
        partitions: held,
      })),
      replicas: replicas.map(describeReplica),
    });
  },
});
