import assert from 'node:assert/strict';
import { wholeProjection } from '@popsvc/domain/partitioning';
import { randomUUID } from 'node:crypto';
import { probeStream } from '@popsvc/contracts/events';
import { type ClickHouseWriter, type Field, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { createCheckpointStore, createLeaseStore, type Postgres, readGenerations } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import type { Projection } from '@popsvc/projectors/engine';
import { buildGeneration, type Fingerprint, fingerprintSql } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema, markRunVerified } from '@popsvc/read-models/generations';
import { pendingView } from '@popsvc/read-models/tables';
import { waitUntil } from '../rig/clients.ts';

interface EventSource {
  readonly network: number;
  readonly vendor: string;
}

/** Appends events to a stream and resolves with the last event's position. */
export type Append = (
  stream: string,
  events: readonly { readonly type: string; readonly data: unknown }[],
  from?: EventSource,
) => Promise<bigint>;

/** Creates a function that appends events, each with a new id and with the metadata that the intake would add. */
export const createAppender =
  (store: Pick<EventStore, 'append'>): Append =>
  async (stream, events, { network, vendor } = { network: 1, vendor: 'acme' }) => {
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network, vendor };
    const newEvents = events.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
    return (await store.append(stream, newEvents)).position;
  };

/** Number of the reference generation, which the oracle builds for comparison. It is far above the numbers that replays assign. */
const referenceGeneration = 99;

/** Maximum number of attempts to build the reference generation. */
const maxAttempts = 8;

/** Connections to the stores that the oracle checks. */
interface StoreClients {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
}

/** Traffic that a test sent and the service acknowledged. */
interface AcknowledgedTraffic {
  /** Ids of the plays; a play may have been sent several times. */
  readonly plays: ReadonlySet<string>;
  /** Number of play events, including repeated ones. */
  readonly playEvents: number;
  readonly jobs: number;
}

/** Reads the checkpoint positions of the live generations by projection: the lowest of their partitions. */
export const readLivePositions = async ({
  postgres,
}: Pick<StoreClients, 'postgres'>): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await postgres.query<{ projection: string; position: string }>(
    `SELECT g.projection, coalesce(min(c.position), 0) AS position
     FROM generations g LEFT JOIN checkpoints c USING (projection, generation) WHERE g.state = 'live' GROUP BY g.projection`,
  );
  return new Map(rows.map(({ projection, position }) => [projection, BigInt(position)]));
};

/**
 * Waits until the live generations have caught up with the current end of the log and have no pending ranges; resolves with the
 * waiting time in ms. Retries after errors, because the stores may still be starting.
 */
export const waitUntilCaughtUp = async (
  stores: Omit<StoreClients, 'store'> & { readonly append: Append },
  timeoutMs = 60_000,
): Promise<number> => {
  const began = performance.now();
  const appendProbe = async () => {
    const emittedAt = new Date().toISOString();
    const data = { service: 'test', emittedAt };
    return stores.append(probeStream('test'), [{ type: 'ProbeEmitted', data }]).catch(() => undefined);
  };
  const at = (await waitUntil(appendProbe, (position) => position !== undefined, timeoutMs))!;
  const listLagging = async () => {
    const positions = await readLivePositions(stores);
    const lagging = allProjections.filter(({ name }) => (positions.get(name) ?? 0n) < at);
    if (lagging.length > 0) return lagging.map(({ name }) => `${name} at ${positions.get(name)} of ${at}`);
    // A checkpoint follows the ranges that its batch puts off.
    const pending = await stores.writer.rows<{ projection: string }>(`SELECT projection FROM ${pendingView.name}_live`);
    return pending.map(({ projection }) => `${projection} has pending ranges`);
  };
  const poll = () => listLagging().catch((error: unknown) => [String(error)]);
  await waitUntil(poll, (lagging) => lagging.length === 0, timeoutMs);
  return performance.now() - began;
};

const readRows = ({ writer }: StoreClients, table: TableDefinition, generation: number) => {
  const columns = Object.entries<Field>(table.fields).flatMap(([name, { isIncidental }]) =>
    isIncidental ? [] : [name],
  );
  return writer.rows(`SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL ORDER BY ALL`);
};

const readFingerprints = ({ writer }: StoreClients, table: TableDefinition, generation: number) =>
  writer
    .rows<Fingerprint>(fingerprintSql(table, generationTable(table, generation)))
    .then((prints) => prints.map((print) => JSON.stringify(print)).sort());

/** Builds a generation of the projection from the log up to the position of the live generation. */
const buildReference = async (stores: StoreClients, projection: Projection, upTo: bigint) => {
  const { store, writer, postgres } = stores;
  const log = createLog('test', 'silent');
  await postgres.query(
    `INSERT INTO generations (projection, generation, state, version) VALUES ($1, $2, 'building', $3)`,
    [projection.name, referenceGeneration, projection.version],
  );
  const parts = {
    store,
    writer,
    postgres,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
    log,
  };
  const build = { projection, generation: referenceGeneration, partition: wholeProjection, upTo };
  const run = () =>
    buildGeneration({ ...parts, owner: 'oracle' }, build, () => undefined, new AbortController().signal);
  // Retries, because a store may exceed a time limit on a busy machine. Each attempt resumes where the previous one stopped, as in a
  // replay.
  for (let attempt = 1; attempt < maxAttempts; attempt += 1)
    try {
      await run();
      return;
    } catch (error) {
      if (error instanceof Error && error.name === 'UnfoldableEvent') throw error;
    }
  await run();
};

/**
 * Asserts that every projection's live tables equal those of a generation newly built from the log. No other process may write at
 * the same time. Compares whole rows if `wholeRows` is true, otherwise fingerprints (one for each network and day). Resolves with
 * the number of rows.
 */
export const assertTablesMatchLog = async (
  stores: StoreClients,
  { wholeRows }: { readonly wholeRows: boolean },
): Promise<number> => {
  const live = (await readGenerations(stores.postgres)).filter(({ state }) => state === 'live');
  const positions = await readLivePositions(stores);
  await ensureSchema(
    stores.writer,
    allProjections.map((projection) => ({ projection, generation: referenceGeneration })),
  );
  // A build ends if the tables are not verified, because ClickHouse may have started again.
  await markRunVerified(stores.writer);
  const compare = async (projection: Projection): Promise<number> => {
    const { generation } = live.find((each) => each.projection === projection.name)!;
    await buildReference(stores, projection, positions.get(projection.name)!);
    let rows = 0;
    for (const table of projection.tables) {
      // A build has other batches, so its former rows differ.
      if (table === projection.derived?.history) continue;
      const read = wholeRows ? readRows : readFingerprints;
      const [seen, expected] = await Promise.all([
        read(stores, table, generation),
        read(stores, table, referenceGeneration),
      ]);
      assert.deepEqual(seen, expected, table.name);
      rows += wholeRows
        ? seen.length
        : (seen as readonly string[]).reduce((sum, print) => sum + (JSON.parse(print) as Fingerprint).rows, 0);
    }
    return rows;
  };
  const rows = await Promise.all(allProjections.map(compare));
  return rows.reduce((sum, count) => sum + count, 0);
};

/**
 * Asserts that the read models match the acknowledged traffic: the `coffee` table contains exactly the acknowledged plays, the
 * `plays` table has exactly one row for each play event, and every bulk job has ended.
 */
export const assertAllAcknowledgedStored = async (
  { writer }: StoreClients,
  { plays, playEvents, jobs }: AcknowledgedTraffic,
): Promise<void> => {
  const readValue = async (query: string) => (await writer.rows<{ value: number }>(query))[0]!.value;
  const ids = await writer.rows<{ id: string }>(
    `SELECT DISTINCT event_id AS id FROM coffee_live WHERE startsWith(event_id, 'p-')`,
  );
  assert.deepEqual(new Set(ids.map(({ id }) => id)), plays);
  const receipts = `SELECT toUInt32(count()) AS value FROM plays_live WHERE startsWith(event_id, 'p-')`;
  assert.equal(await readValue(receipts), playEvents, 'receipts');
  const ended = `SELECT toUInt32(uniqExact(job_id)) AS value FROM bulk_jobs_live WHERE part = 'ended'`;
  assert.equal(await readValue(ended), jobs, 'jobs');
};

/**
 * Asserts that no process moved a checkpoint after losing the lease. A checkpoint may move backwards only at the start of a new
 * lease epoch, and at most once for each time that ClickHouse was killed: a kill may lose rows that are not on disk yet. Returns
 * each projection's number of checkpoint moves and lease epochs.
 */
export const assertCheckpointsOnlyGrew = async ({ postgres }: StoreClients, killsOfClickHouse = 0): Promise<string> => {
  const { rows } = await postgres.query<{
    projection: string;
    wrong: number;
    back: number;
    moves: number;
    epochs: number;
  }>(
    `SELECT projection, count(*) FILTER (WHERE epoch < earlier OR after <= before AND epoch = earlier)::int AS wrong,
       count(*) FILTER (WHERE after <= before)::int AS back, count(*)::int AS moves, count(DISTINCT epoch)::int AS epochs
     FROM (SELECT *, lag(epoch) OVER (PARTITION BY projection, generation, partition ORDER BY id) AS earlier
           FROM checkpoint_history) AS history
     GROUP BY projection, generation, partition ORDER BY projection, generation, partition`,
  );
  assert.deepEqual(
    rows.filter(({ wrong, back }) => wrong > 0 || back > killsOfClickHouse),
    [],
  );
  const moved = new Set(rows.map(({ projection }) => projection));
  assert.ok(moved.size >= allProjections.length, `only ${moved.size} projections moved a checkpoint`);
  return rows.map(({ projection, moves, epochs }) => `${projection} ${moves} in ${epochs}`).join(', ');
};

export const assertNothingParked = async ({ postgres }: StoreClients): Promise<void> => {
  const { rows } = await postgres.query('SELECT projection, sequence::text, error FROM parked_events');
  assert.deepEqual(rows, []);
};

/** SQL that makes PostgreSQL record every change of a checkpoint position, with the lease epoch. */
export const checkpointHistorySql = `
  CREATE TABLE checkpoint_history (
    id bigserial PRIMARY KEY, projection text, generation int, partition int, epoch bigint, before bigint, after bigint);
  CREATE FUNCTION keep_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF new.position <> old.position THEN
      INSERT INTO checkpoint_history (projection, generation, partition, epoch, before, after)
      VALUES (new.projection, new.generation, new.partition, new.epoch, old.position, new.position);
    END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER keep_checkpoint AFTER UPDATE ON checkpoints FOR EACH ROW EXECUTE FUNCTION keep_checkpoint()`;
