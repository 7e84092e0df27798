import assert from 'node:assert/strict';
import { probeStream } from '@popsvc/contracts/events';
import { type ClickHouseWriter, type Field, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { createCheckpointStore, createLeaseStore, type Postgres, readGenerations } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { buildGeneration, type Fingerprint, fingerprintSql } from '@popsvc/projectors/engine/replay';
import { type Projection } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { waitUntil } from '../rig/partner.ts';
import type { Append } from '../rig/append-raw.ts';

const rebuilt = 99;

/** Clients of the stores whose content is checked. */
export interface OracleStores {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
}

/** What a test pushed and the service acknowledged. */
export interface AcknowledgedTraffic {
  /** Ids of plays; a play may have been sent more than once. */
  readonly plays: ReadonlySet<string>;
  /** Events of plays, counted each time they were sent. */
  readonly playEvents: number;
  readonly jobs: number;
}

/** Positions of the live generations, by name. */
export const livePositions = async ({
  postgres,
}: Pick<OracleStores, 'postgres'>): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await postgres.query<{ projection: string; position: string }>(
    `SELECT g.projection, coalesce(c.position, 0) AS position
     FROM generations g LEFT JOIN checkpoints c USING (projection, generation) WHERE g.state = 'live'`,
  );
  return new Map(rows.map(({ projection, position }) => [projection, BigInt(position)]));
};

/** Until the live generations have handled everything that is in the log now, through stores that are not back yet; ms. */
export const caughtUp = async (
  stage: Pick<OracleStores, 'postgres'> & { readonly append: Append },
  patienceMs = 60_000,
): Promise<number> => {
  const began = performance.now();
  const probe = async () => {
    const emittedAt = new Date().toISOString();
    const data = { service: 'test', emittedAt };
    return stage.append(probeStream('test'), [{ type: 'ProbeEmitted', data }]).catch(() => undefined);
  };
  const at = (await waitUntil(probe, (position) => position !== undefined, patienceMs))!;
  const behind = async () => {
    const positions = await livePositions(stage);
    const late = allProjections.filter(({ name }) => (positions.get(name) ?? 0n) < at);
    return late.map(({ name }) => `${name} at ${positions.get(name)} of ${at}`);
  };
  const told = () => behind().catch((error: unknown) => [String(error)]);
  await waitUntil(told, (late) => late.length === 0, patienceMs);
  return performance.now() - began;
};

const rowsOf = ({ writer }: OracleStores, table: TableDefinition, generation: number) => {
  const columns = Object.entries<Field>(table.fields).flatMap(([name, { isIncidental }]) =>
    isIncidental ? [] : [name],
  );
  return writer.rows(`SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL ORDER BY ALL`);
};

const printsOf = ({ writer }: OracleStores, table: TableDefinition, generation: number) =>
  writer
    .rows<Fingerprint>(fingerprintSql(table, generationTable(table, generation)))
    .then((prints) => prints.map((print) => JSON.stringify(print)).sort());

const mostAttempts = 8;

/** Makes the projection anew of the log up to where the live one stands. */
const buildAnew = async (stage: OracleStores, projection: Projection, upTo: bigint) => {
  const { store, writer, postgres } = stage;
  const log = createLog('test', 'silent');
  await postgres.query(
    `INSERT INTO generations (projection, generation, state, version) VALUES ($1, $2, 'building', $3)`,
    [projection.name, rebuilt, projection.version],
  );
  const parts = {
    store,
    writer,
    postgres,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
    log,
  };
  const build = { projection, generation: rebuilt, upTo };
  const run = () =>
    buildGeneration({ ...parts, owner: 'oracle' }, build, () => undefined, new AbortController().signal);
  // A busy machine can exceed a time limit of a store; a repeated build resumes, as in a replay.
  for (let attempt = 1; attempt < mostAttempts; attempt += 1)
    try {
      await run();
      return;
    } catch (error) {
      if (error instanceof Error && error.name === 'UnfoldableEvent') throw error;
    }
  await run();
};

/** Every table of every projection is what a fresh build makes of the log; nobody may write meanwhile. How many rows there are. */
export const isWhatTheLogSays = async (
  stage: OracleStores,
  { wholeRows }: { readonly wholeRows: boolean },
): Promise<number> => {
  const live = (await readGenerations(stage.postgres)).filter(({ state }) => state === 'live');
  const positions = await livePositions(stage);
  await ensureSchema(
    stage.writer,
    allProjections.map((projection) => ({ projection, generation: rebuilt })),
  );
  const compared = async (projection: Projection): Promise<number> => {
    const { generation } = live.find((each) => each.projection === projection.name)!;
    await buildAnew(stage, projection, positions.get(projection.name)!);
    let rows = 0;
    for (const table of projection.tables) {
      // Rows that are the same have the same prints.
      const read = wholeRows ? rowsOf : printsOf;
      const [seen, expected] = await Promise.all([read(stage, table, generation), read(stage, table, rebuilt)]);
      assert.deepEqual(seen, expected, table.name);
      rows += wholeRows
        ? seen.length
        : (seen as readonly string[]).reduce((sum, print) => sum + (JSON.parse(print) as Fingerprint).rows, 0);
    }
    return rows;
  };
  const rows = await Promise.all(allProjections.map(compared));
  return rows.reduce((sum, count) => sum + count, 0);
};

/** Every event that was acknowledged has its one receipt, and every play its place in coffee. */
export const holdsAll = async (
  { writer }: OracleStores,
  { plays, playEvents, jobs }: AcknowledgedTraffic,
): Promise<void> => {
  const one = async (query: string) => (await writer.rows<{ value: number }>(query))[0]!.value;
  const ids = await writer.rows<{ id: string }>(
    `SELECT DISTINCT event_id AS id FROM coffee_live WHERE startsWith(event_id, 'p-')`,
  );
  assert.deepEqual(new Set(ids.map(({ id }) => id)), plays);
  const receipts = `SELECT toUInt32(count()) AS value FROM plays_live WHERE startsWith(event_id, 'p-')`;
  assert.equal(await one(receipts), playEvents, 'receipts');
  const ended = `SELECT toUInt32(uniqExact(job_id)) AS value FROM bulk_jobs_live WHERE part = 'ended'`;
  assert.equal(await one(ended), jobs, 'jobs');
};

/**
 * No checkpoint was moved by who had lost the lease, and none went back but where a life began after ClickHouse was killed, which
 * may have lost what was not on disk; how often each was moved, and in how many lives.
 */
export const checkpointsOnlyGrew = async ({ postgres }: OracleStores, killsOfClickHouse = 0): Promise<string> => {
  const { rows } = await postgres.query<{
    projection: string;
    wrong: number;
    back: number;
    moves: number;
    lives: number;
  }>(
    `SELECT projection, count(*) FILTER (WHERE epoch < earlier OR after <= before AND epoch = earlier)::int AS wrong,
       count(*) FILTER (WHERE after <= before)::int AS back, count(*)::int AS moves, count(DISTINCT epoch)::int AS lives
     FROM (SELECT *, lag(epoch) OVER (PARTITION BY projection, generation ORDER BY id) AS earlier
           FROM checkpoint_history) AS history
     GROUP BY projection, generation ORDER BY projection, generation`,
  );
  assert.deepEqual(
    rows.filter(({ wrong, back }) => wrong > 0 || back > killsOfClickHouse),
    [],
  );
  const moved = new Set(rows.map(({ projection }) => projection));
  assert.ok(moved.size >= allProjections.length, `only ${moved.size} projections moved a checkpoint`);
  return rows.map(({ projection, moves, lives }) => `${projection} ${moves} in ${lives}`).join(', ');
};

/** Nothing was set aside. */
export const nothingIsParked = async ({ postgres }: OracleStores): Promise<void> => {
  const { rows } = await postgres.query('SELECT projection, position::text, error FROM parked_events');
  assert.deepEqual(rows, []);
};
