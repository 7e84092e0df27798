import type { Shard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, writersOfServers } from '@popsvc/platform/clickhouse';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';
import {
  areAllShards,
  hasShardViews,
  readRemoteShards,
  readReplicaStates,
  type ReplicaState,
} from '@popsvc/read-models/generations';

/** The label with the number of a shard, from 1. */
export const labelOfShard = ({ index }: Shard) => ({ shard: String(index + 1) });

/** Registers whether a query through each server reads each shard once. Without several shards, the metric has no values. */
const registerShardLists = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const servers = writers.filter(hasShardViews).flatMap(writersOfServers);
  const readLists = () => Promise.allSettled(servers.map(readRemoteShards));
  const read = createSampler(readLists, { maxAgeMs: 60_000 });
  new Gauge({
    name: 'popsvc_clickhouse_replica_wrong_shards',
    help: '1 if remote_servers of the ClickHouse server does not list each shard once, else 0.',
    labelNames: ['shard', 'replica'],
    registers: [metrics],
    async collect() {
      const lists = await read();
      this.reset();
      for (const [index, list] of (lists ?? []).entries()) {
        const { server, shard } = servers[index]!;
        const labels = { ...labelOfShard(shard), replica: new URL(server).host };
        if (list.status === 'fulfilled') this.set(labels, Number(!areAllShards(list.value, shard)));
      }
    },
  });
};

/** Registers the metrics of each server of ClickHouse, by shard, host and port. */
export const registerReplicaMetrics = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const read = createSampler(() => readReplicaStates(writers), { maxAgeMs: 10_000 });
  const ofReplicas = (name: string, help: string, value: (state: ReplicaState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['shard', 'replica'],
      registers: [metrics],
      async collect() {
        const states = await read();
        this.reset();
        for (const state of states ?? [])
          this.set({ ...labelOfShard(state.shard), replica: state.replica }, value(state));
      },
    });
  ofReplicas('popsvc_clickhouse_replica_up', '1 if the ClickHouse server responds, else 0.', ({ error }) =>
    error === undefined ? 1 : 0,
  );
  ofReplicas(
    'popsvc_clickhouse_replica_ready',
    '1 if reports may be read from the ClickHouse server, else 0.',
    ({ isReady }) => Number(isReady),
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
