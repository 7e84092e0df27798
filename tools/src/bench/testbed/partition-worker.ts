import { listPartitions } from '@popsvc/domain/partitioning';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openEventStore } from '@popsvc/platform/event-store';
import { createCheckpointStore, createLeaseStore, openPostgres } from '@popsvc/platform/postgres';
import { serveRequests } from '../harness/worker.ts';
import { type ClickHouseUser, silentLog } from './engines.ts';
import { findProjection, runUntil } from './projector.ts';

export type PartitionWorkerRequest =
  | {
      readonly step: 'open';
      readonly storeUrl: string;
      readonly databaseUrl: string;
      readonly clickhouse: { readonly url: string } & ClickHouseUser;
      readonly owner: string;
    }
  | {
      readonly step: 'run';
      readonly generation: number;
      /** Number of partitions of the projection, and those that this process runs. */
      readonly of: number;
      readonly partitions: readonly number[];
      readonly upTo: bigint;
    };

const open = ({ storeUrl, databaseUrl, clickhouse, owner }: PartitionWorkerRequest & { step: 'open' }) => {
  const postgres = openPostgres({ url: databaseUrl, log: silentLog, name: owner, connections: 12 });
  return {
    store: openEventStore({ url: storeUrl }),
    postgres,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
    writer: openClickHouseWriter(clickhouse),
    log: silentLog,
    owner,
  };
};
let dependencies: ReturnType<typeof open> | undefined;

/** Projects the log into partitions of a generation of `coffee`, as a process of projectors does. */
serveRequests(async (request: PartitionWorkerRequest): Promise<void> => {
  if (request.step === 'open') {
    dependencies = open(request);
    return;
  }
  const { generation, of, partitions, upTo } = request;
  const own = listPartitions(of).filter(({ index }) => partitions.includes(index));
  const projection = findProjection('coffee');
  await Promise.all(own.map((partition) => runUntil(dependencies!, { projection, generation, partition }, upTo)));
});
