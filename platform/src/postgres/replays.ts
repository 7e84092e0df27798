import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export type ReplayState =
  'planned' | 'building' | 'catching_up' | 'verifying' | 'switching' | 'done' | 'failed' | 'cancelled';

/** The numbers of rows can be equal, because the content of the rows is also compared. */
export interface RowDifference {
  readonly table: string;
  /** 0 if the table has no network column. */
  readonly network: number;
  /** Day such as `2026-08-20`; null if the table has no time column. */
  readonly day: string | null;
  readonly rows_before: number;
  readonly rows_after: number;
  /** Columns whose content differs; null if the numbers of rows differ, or if the table contains no derived rows. */
  readonly columns: readonly string[] | null;
}

/** `days`: the UTC days whose rows are derived again. `rows`: the rows of both generations, which are compared. */
export interface ReplayStep {
  readonly name: 'days' | 'rows';
  readonly done: number;
  readonly of: number;
}

/** `facts`: copies what the live generation stores of events, and computes only the derived rows. */
export type ReplaySource = 'log' | 'facts';

export interface ChosenSource {
  readonly source: ReplaySource;
  /** A clause for operators, such as `live tables are damaged: coffee`. */
  readonly reason: string;
}

export interface ReplayRecord {
  readonly id: number;
  readonly projection: string;
  readonly kind: 'replay' | 'rollback';
  readonly from: number;
  readonly to: number;
  readonly verify: boolean;
  readonly source: ReplaySource;
  /** Empty for a rollback, or if the caller chose no source. */
  readonly sourceReason: string;
  readonly state: ReplayState;
  readonly position: bigint;
  readonly target: bigint;
  readonly events: number;
  readonly total: number | null;
  readonly verified: boolean;
  readonly differences: readonly RowDifference[];
  readonly step: ReplayStep | null;
  readonly pausedMs: number;
  readonly error: string | null;
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
  readonly endedAt: Date | null;
}

type Stored = Omit<ReplayRecord, 'position' | 'target'> & { readonly position: string; readonly target: string };

const replayColumns = `id, projection, kind, from_generation AS "from", to_generation AS "to", verify, source,
  source_reason AS "sourceReason", state, position::text AS position, target::text AS target, events::float8 AS events, total::float8 AS total, verified, differences, step,
  paused_ms AS "pausedMs", error, requested_at AS "requestedAt", started_at AS "startedAt",
  cancel_requested_at AS "cancelRequestedAt", ended_at AS "endedAt"`;

const replayOf = (row: unknown): ReplayRecord => {
  const stored = row as Stored;
  return { ...stored, position: BigInt(stored.position), target: BigInt(stored.target) };
};

const read = async (postgres: Queryable, rest: string, values: unknown[] = []): Promise<readonly ReplayRecord[]> => {
  const { rows } = await postgres.query(`SELECT ${replayColumns} FROM replays ${rest}`, values);
  return rows.map(replayOf);
};

export const readReplays = (postgres: Queryable, limit: number): Promise<readonly ReplayRecord[]> =>
  read(postgres, 'ORDER BY id DESC LIMIT $1', [limit]);

export const readUnfinishedReplays = (postgres: Queryable): Promise<readonly ReplayRecord[]> =>
  read(postgres, 'WHERE ended_at IS NULL ORDER BY id');

export const findReplay = async (postgres: Queryable, id: number): Promise<ReplayRecord | undefined> =>
  (await read(postgres, 'WHERE id = $1', [id]))[0];

/** Returns undefined if the replay has ended or does not exist. */
export const requestReplayCancellation = async (postgres: Queryable, id: number): Promise<ReplayRecord | undefined> => {
  const { rows } = await postgres.query(
    `UPDATE replays SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE id = $1 AND ended_at IS NULL
     RETURNING ${replayColumns}`,
    [id],
  );
  return rows.map(replayOf)[0];
};

export interface ReplayRequest {
  readonly projection: string;
  readonly version: number;
  readonly verify: boolean;
  readonly from?: ChosenSource;
}

/** Locks the row, so that another process that plans a replay or rollback of the projection waits. */
const lockLiveGeneration = async (client: Queryable, projection: string): Promise<number | undefined> => {
  const { rows } = await client.query<{ live: number }>(
    'SELECT live_generation AS live FROM read_models WHERE projection = $1 FOR UPDATE',
    [projection],
  );
  return rows[0]?.live;
};

const insertReplay = async (
  client: Queryable,
  {
    projection,
    kind,
    from,
    to,
    verify,
    source,
    sourceReason,
  }: Pick<ReplayRecord, 'projection' | 'kind' | 'from' | 'to' | 'verify' | 'source' | 'sourceReason'>,
): Promise<ReplayRecord | undefined> => {
  const { rows } = await client.query(
    `INSERT INTO replays (projection, kind, from_generation, to_generation, verify, source, source_reason, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'planned') ON CONFLICT (projection) WHERE ended_at IS NULL DO NOTHING
     RETURNING ${replayColumns}`,
    [projection, kind, from, to, verify, source, sourceReason],
  );
  return rows.map(replayOf)[0];
};

/** Returns undefined if the projection does not exist, or has an unfinished replay or rollback. */
export const planReplay = (postgres: Postgres, request: ReplayRequest): Promise<ReplayRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { projection, version, verify, from: { source, reason } = { source: 'log', reason: '' } } = request;
    const from = await lockLiveGeneration(client, projection);
    if (from === undefined) return undefined;
    // Generation numbers are never reused, because a process may still be writing to the tables of an abandoned generation.
    const { rows } = await client.query<{ next: number }>(
      `SELECT 1 + greatest(
         (SELECT max(generation) FROM generations WHERE projection = $1),
         (SELECT max(to_generation) FROM replays WHERE projection = $1)) AS next`,
      [projection],
    );
    const to = rows[0]?.next ?? from + 1;
    const planned = await insertReplay(client, {
      projection,
      kind: 'replay',
      from,
      to,
      verify,
      source,
      sourceReason: reason,
    });
    if (planned)
      await client.query(
        `INSERT INTO generations (projection, generation, state, version, time_zones)
         VALUES ($1, $2, 'building', $3, $4)`,
        [projection, to, version, timeZoneVersion],
      );
    return planned;
  });

/** `busy`: the projection has an unfinished replay or rollback. `none`: there is no kept generation without damage and lost parts. */
export type RollbackRejection = 'busy' | 'none';

export const planRollback = (postgres: Postgres, projection: string): Promise<ReplayRecord | RollbackRejection> =>
  inTransaction(postgres, async (client) => {
    const from = await lockLiveGeneration(client, projection);
    const { rows } = await client.query<{ to: number }>(
      `SELECT generation AS "to" FROM generations WHERE projection = $1 AND state = 'kept' AND damage = '[]' AND healing = '[]'
       ORDER BY switched_at DESC NULLS LAST, generation DESC LIMIT 1`,
      [projection],
    );
    const to = rows[0]?.to;
    if (from === undefined || to === undefined) return 'none';
    const rollback = {
      projection,
      kind: 'rollback',
      from,
      to,
      verify: false,
      source: 'log',
      sourceReason: '',
    } as const;
    return (await insertReplay(client, rollback)) ?? 'busy';
  });

/** Returns the key of the lease that a process must hold to coordinate a projection's replays. */
export const replayLeaseKey = (projection: string) => ({ projection: `replay:${projection}`, generation: 0 });

/** `epoch`: lease epoch of the process that coordinates the replay. An update with another epoch has no effect. */
export interface ReplayCoordination {
  readonly id: number;
  readonly projection: string;
  readonly epoch: bigint;
}

export type ReplayUpdate = Partial<
  Pick<
    ReplayRecord,
    'state' | 'position' | 'target' | 'total' | 'verified' | 'differences' | 'step' | 'pausedMs' | 'error' | 'startedAt'
  >
> & {
  readonly events?: number;
};

const updatedColumns = {
  state: 'state',
  position: 'position',
  target: 'target',
  total: 'total',
  verified: 'verified',
  differences: 'differences',
  step: 'step',
  pausedMs: 'paused_ms',
  error: 'error',
  startedAt: 'started_at',
  events: 'events',
} as const;

const finalStates: readonly (string | undefined)[] = ['done', 'failed', 'cancelled'];

/** An update without fields only checks the lease. Returns false if the replay has ended or another process coordinates it. */
export const updateReplay = async (
  postgres: Queryable,
  { id, projection, epoch }: ReplayCoordination,
  change: ReplayUpdate,
): Promise<boolean> => {
  const lease = replayLeaseKey(projection);
  const names = (Object.keys(updatedColumns) as (keyof typeof updatedColumns)[]).filter(
    (name) => change[name] !== undefined,
  );
  const set = names.map((name, index) => {
    const value = `$${index + 5}`;
    return name === 'events' ? `events = events + ${value}` : `${updatedColumns[name]} = ${value}`;
  });
  if (finalStates.includes(change.state)) set.push('ended_at = now()');
  if (set.length === 0) set.push('state = state');
  const { rowCount } = await postgres.query(
    `UPDATE replays SET ${set.join(', ')}
     WHERE id = $1 AND ended_at IS NULL
     AND EXISTS (SELECT 1 FROM leases WHERE projection = $2 AND generation = $3 AND epoch = $4 FOR SHARE)`,
    [id, lease.projection, lease.generation, epoch, ...names.map((name) => toParameter(change[name]))],
  );
  return rowCount === 1;
};

const toParameter = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  return Array.isArray(value) ? JSON.stringify(value) : value;
};

export interface GenerationSwitch extends ReplayCoordination, Pick<ReplayRecord, 'from' | 'to' | 'pausedMs'> {
  readonly keepMs: number;
  /**
   * How long the previous generation stays on hold, in ms. Without the hold, its readers could see events that the new generation lacks.
   */
  readonly lingerMs: number;
  /** One for each partition of the live generation, in the order of the partitions. */
  readonly stoppedBy: readonly WriterStopProof[];
}

/** `heldAt`: the writer paused at this position. `epoch`: the caller holds the lease of the writer with this epoch. */
export type WriterStopProof = { readonly heldAt: bigint } | { readonly epoch: bigint };

/** The hold may have ended since the start of the transaction, which now() returns, so the query uses clock_timestamp(). */
const isLiveGenerationStopped = async (
  client: Queryable,
  { projection, from, stoppedBy }: GenerationSwitch,
): Promise<boolean> => {
  const { rows } = await client.query<{ live: boolean; held: boolean | null }>(
    `SELECT state = 'live' AS live, held_until > clock_timestamp() AS held FROM generations
     WHERE projection = $1 AND generation = $2 FOR UPDATE`,
    [projection, from],
  );
  const [row] = rows;
  if (!row?.live) return false;
  for (const [partition, proof] of stoppedBy.entries()) {
    const isHeld = 'heldAt' in proof;
    const { rowCount } = isHeld
      ? await client.query(
          `SELECT 1 FROM checkpoints WHERE projection = $1 AND generation = $2 AND partition = $3 AND held_position = $4`,
          [projection, from, partition, proof.heldAt],
        )
      : await client.query(
          'SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND partition = $3 AND epoch = $4 FOR SHARE',
          [projection, from, partition, proof.epoch],
        );
    if (rowCount !== 1 || (isHeld && row.held !== true)) return false;
  }
  return true;
};

/** Changes nothing and returns false if a writer of the live generation may begin a batch, or the lease was lost. */
export const switchGenerations = (postgres: Postgres, change: GenerationSwitch): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const { projection, from, to, keepMs, lingerMs, pausedMs } = change;
    if (!(await isLiveGenerationStopped(client, change))) return false;
    if (!(await updateReplay(client, change, { state: 'done', pausedMs, error: null }))) return false;
    await client.query(
      `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND state = 'kept' AND generation <> $2`,
      [projection, to],
    );
    await client.query(
      `UPDATE generations SET state = 'kept',
         drop_after = now() + CASE WHEN damage = '[]' THEN $3 * interval '1 millisecond' ELSE interval '0' END,
         held_until = CASE WHEN held_until IS NULL THEN NULL ELSE now() + $4 * interval '1 millisecond' END
       WHERE projection = $1 AND generation = $2`,
      [projection, from, keepMs, lingerMs],
    );
    await client.query(
      `UPDATE generations SET state = 'live', switched_at = now(), drop_after = NULL, held_until = NULL
       WHERE projection = $1 AND generation = $2`,
      [projection, to],
    );
    await client.query('UPDATE read_models SET live_generation = $2, switched_at = now() WHERE projection = $1', [
      projection,
      to,
    ]);
    return true;
  });
