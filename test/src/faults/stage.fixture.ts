import { randomUUID } from 'node:crypto';
import { registryStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, foldRegistry, planRegistry } from '@popsvc/domain/registry';
import { type EventStore, type NewEvent, openEventStore } from '@popsvc/platform/event-store';
import { openWriter, type Writer } from '@popsvc/platform/read-store';
import { migrate, openRecords, type Records } from '@popsvc/platform/records';
import { createLog } from '@popsvc/platform/runtime';
import { mortalStores, type MortalStores } from './stores.fixture.ts';

export interface From {
  readonly network: number;
  readonly vendor: string;
}

/** Stores of a suite's own, with clients to them; who projects are processes. */
export interface Stage {
  readonly stores: MortalStores;
  readonly store: EventStore;
  readonly records: Records;
  readonly writer: Writer;
  /** One append, which is acknowledged when this resolves with its position. */
  append(stream: string, events: readonly { type: string; data: unknown }[], from?: From): Promise<bigint>;
  /** As the operator applies a registry file. */
  register(file: unknown): Promise<void>;
  close(): Promise<void>;
}

const log = createLog('test', 'silent');

/** Every move of a checkpoint is kept: who moved it, from where and to where. */
const keepHistory = `
  CREATE TABLE checkpoint_history (
    id bigserial PRIMARY KEY, projection text, generation int, epoch bigint, before bigint, after bigint);
  CREATE FUNCTION keep_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF new.position <> old.position THEN
      INSERT INTO checkpoint_history (projection, generation, epoch, before, after)
      VALUES (new.projection, new.generation, new.epoch, old.position, new.position);
    END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER keep_checkpoint AFTER UPDATE ON checkpoints FOR EACH ROW EXECUTE FUNCTION keep_checkpoint()`;

export const openStage = async (): Promise<Stage> => {
  const stores = await mortalStores();
  const store = openEventStore({ url: stores.eventStore.url });
  const writer = openWriter({ url: stores.clickhouse.url, ...stores.writer });
  const records = openRecords({ url: stores.postgres.url, log, name: 'test' });
  await writer.createDatabase();
  await migrate(records);
  await records.query(keepHistory);
  const registry = emptyRegistry();
  const append: Stage['append'] = async (stream, told, { network, vendor } = { network: 1, vendor: 'acme' }) => {
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network, vendor };
    const events = told.map(({ type, data }): NewEvent => ({ id: randomUUID(), type, data, metadata }));
    return (await store.append(stream, events)).position;
  };
  return {
    stores,
    store,
    records,
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
      await Promise.allSettled([store.close(), writer.close(), records.end()]);
    },
  };
};
