import { registryStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, foldRegistry, planRegistry } from '@popsvc/domain/registry';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { type Append, checkpointHistorySql, createAppender } from '@popsvc/tools/soak';
import { type GivenStores, startKillableStores, type KillableStores } from './stores.fixture.ts';

/** Stores of one suite, with clients; the projectors are separate processes. */
export interface Stage {
  readonly stores: KillableStores;
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  readonly append: Append;
  /** Applies a registry file as the operator does. */
  register(file: unknown): Promise<void>;
  close(): Promise<void>;
}

const log = createLog('test', 'silent');

/** `cluster`: name of the ClickHouse cluster that is given; default: a single server. */
export const openStage = async (given: GivenStores = {}, cluster?: string): Promise<Stage> => {
  const stores = await startKillableStores(given);
  const store = openEventStore({ url: stores.eventStore.url });
  const writer = openClickHouseWriter({ url: stores.clickhouse.url, cluster, ...stores.writer });
  const postgres = openPostgres({ url: stores.postgres.url, log, name: 'test' });
  await writer.createDatabase();
  await migrate(postgres);
  await postgres.query(checkpointHistorySql);
  const registry = emptyRegistry();
  const append = createAppender(store);
  return {
    stores,
    store,
    postgres,
    writer,
    append,
    async register(file) {
      const nowMs = Date.now();
      const { changes } = planRegistry(registry, RegistryFile.parse(file), { nowMs, restate: true });
      for (const { kind, key, type, data } of changes) {
        const position = await append(registryStream(kind, key), [{ type, data }]);
        foldRegistry(registry, { type, data, atMs: nowMs, position });
      }
    },
    async close() {
      await Promise.allSettled([store.close(), writer.close(), postgres.end()]);
    },
  };
};
