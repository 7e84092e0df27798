import type { Shard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, describeShard, writersOfServers } from '@popsvc/platform/clickhouse';
import type { Registry } from '@popsvc/platform/telemetry';
import {
  areAllShards,
  hasShardViews,
  readRemoteShards,
  readReplicaStates,
  type ReplicaState,
} from '@popsvc/read-models/generations';
import { registerGauge, sampleEach } from './gauges.ts';

/** The label contains the number of shards, because processes with the old and with the new number are scraped during a change. */
export const labelOfShard = (shard: Shard) => ({ shard: describeShard(shard) });

export const labelsOfServer = ({ shard, server }: ClickHouseWriter) => ({
  ...labelOfShard(shard),
  replica: new URL(server).host,
});

const registerShardLists = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const servers = writers.filter(hasShardViews).flatMap(writersOfServers);
  const read = sampleEach(servers, readRemoteShards, { maxAgeMs: 60_000 });
  registerGauge(
    metrics,
    {
      name: 'popsvc_clickhouse_replica_lists_shards',
      help: '1 if remote_servers of the ClickHouse server lists each shard once, else 0.',
      labelNames: ['shard', 'replica'],
    },
    async () => (await read()).map(({ of, value }) => [labelsOfServer(of), Number(areAllShards(value, of.shard))]),
  );
};

export const registerReplicaMetrics = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const servers = writers.flatMap(writersOfServers);
  const read = sampleEach(servers, async (server) => (await readReplicaStates([server]))[0]!, { maxAgeMs: 10_000 });
  const ofReplicas = (name: string, help: string, value: (state: ReplicaState) => number) =>
    registerGauge(metrics, { name, help, labelNames: ['shard', 'replica'] }, async () =>
      (await read()).map(({ of, value: state }) => [labelsOfServer(of), value(state)]),
    );
  registerGauge(
    metrics,
    {
      name: 'popsvc_clickhouse_replica_up',
      help: '1 if the ClickHouse server responds within a second, has the database and belongs to its shard, else 0.',
      labelNames: ['shard', 'replica'],
    },
    async () => {
      const up = (await read()).filter(({ value: { state } }) => state === 'ready' || state === 'not-ready');
      return servers.map((server) => [labelsOfServer(server), Number(up.some(({ of }) => of === server))]);
    },
  );
  ofReplicas(
    'popsvc_clickhouse_replica_ready',
    '1 if reports may be read from the ClickHouse server, else 0.',
    ({ state }) => Number(state === 'ready'),
  );
  ofReplicas(
    'popsvc_clickhouse_replica_read_only_tables',
    'Tables of a replica that cannot be written, because it lost Keeper.',
    ({ readOnlyTables }) => readOnlyTables,
  );
  ofReplicas(
    'popsvc_clickhouse_replica_delay_seconds',
    'Delay of the table of a replica that is furthest behind.',
    ({ delaySeconds }) => delaySeconds,
  );
  ofReplicas(
    'popsvc_clickhouse_replica_queue',
    'Replication tasks of a replica that wait.',
    ({ queuedTasks }) => queuedTasks,
  );
  ofReplicas(
    'popsvc_clickhouse_replica_lost_parts',
    'Parts that no replica has, as a replica found them.',
    ({ lostParts }) => lostParts,
  );
  ofReplicas(
    'popsvc_clickhouse_replica_broken_parts',
    'Parts that a replica found damaged, detached, and fetched again unless they are lost.',
    ({ brokenParts }) => brokenParts,
  );
  registerShardLists(metrics, writers);
};
