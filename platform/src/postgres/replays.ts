import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export type ReplayState =
  'planned' | 'building' | 'catching_up' | 'verifying' | 'switching' | 'done' | 'failed' | 'cancelled';

/** Rows of one network and UTC day in which two generations differ; hashes are sums over the rows. */
export interface RowDifference {
  readonly table: string;
  /** 0 where the table has none. */
  readonly network: number;
  /** `2026-08-20`; null where the table has no time. */
  readonly day: string | null;
  readonly rows_before: number;
  readonly rows_after: number;
}

/** Something that is done within a state besides folding: `rows` compared; `log` counted. */
export interface ReplayStep {
  readonly name: 'rows' | 'log';
  readonly done: number;
  readonly of: number;
}

/** Events of a type, as the log has them and as the generation says what became of them. */
export interface EventTypeAccount {
  readonly type: string;
  readonly in_log: number;
  readonly with_rows: number;
  readonly skipped: number;
  readonly without_rows: number;
  /** Whether it adds up, and none made no row of a type whose events all do. */
  readonly is_consistent: boolean;
}

/** How readers are brought to another generation of a projection. */
export interface ReplayRecord {
  readonly id: number;
  readonly projection: string;
  /** `replay`: it is built anew; `rollback`: it was live before. */
  readonly kind: 'replay' | 'rollback';
  readonly from: number;
  readonly to: number;
  readonly verify: boolean;
  readonly state: ReplayState;
  readonly position: bigint;
  readonly target: bigint;
  readonly events: number;
  readonly total: number | null;
  readonly verified: boolean;
  readonly differences: readonly RowDifference[];
  /** Null: not looked at. */
  readonly accounts: readonly EventTypeAccount[] | null;
  readonly step: ReplayStep | null;
  readonly pausedMs: number;
  readonly error: string | null;
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
  readonly endedAt: Date | null;
}

type Stored = Omit<ReplayRecord, 'position' | 'target'> & { readonly position: string; readonly target: string };

/** As `Stored` names them. */
const replayColumns = `id, projection, kind, from_generation AS "from", to_generation AS "to", verify, state,
  position::text AS position, target::text AS target, events::float8 AS events, total::float8 AS total, verified, differences,
  accounts, step,
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

/** The newest first. */
export const readReplays = (postgres: Queryable, limit: number): Promise<readonly ReplayRecord[]> =>
  read(postgres, 'ORDER BY id DESC LIMIT $1', [limit]);

export const unfinishedReplays = (postgres: Queryable): Promise<readonly ReplayRecord[]> =>
  read(postgres, 'WHERE ended_at IS NULL ORDER BY id');

export const findReplay = async (postgres: Queryable, id: number): Promise<ReplayRecord | undefined> =>
  (await read(postgres, 'WHERE id = $1', [id]))[0];

/** Asks whoever conducts it to stop; undefined when it has ended. */
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
  /** Of the projection whose code builds it. */
  readonly version: number;
  readonly verify: boolean;
}

/** The live generation; others who plan for the same projection wait for this transaction. */
const liveOf = async (client: Queryable, projection: string): Promise<number | undefined> => {
  const { rows } = await client.query<{ live: number }>(
    'SELECT live_generation AS live FROM read_models WHERE projection = $1 FOR UPDATE',
    [projection],
  );
  return rows[0]?.live;
};

const insert = async (
  client: Queryable,
  { projection, kind, from, to, verify }: Pick<ReplayRecord, 'projection' | 'kind' | 'from' | 'to' | 'verify'>,
): Promise<ReplayRecord | undefined> => {
  const { rows } = await client.query(
    `INSERT INTO replays (projection, kind, from_generation, to_generation, verify, state)
     VALUES ($1, $2, $3, $4, $5, 'planned') ON CONFLICT (projection) WHERE ended_at IS NULL DO NOTHING
     RETURNING ${replayColumns}`,
    [projection, kind, from, to, verify],
  );
  return rows.map(replayOf)[0];
};

/** Plans to build the next generation of a projection; undefined when readers of it are being brought somewhere already. */
export const planReplay = (postgres: Postgres, wish: ReplayRequest): Promise<ReplayRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { projection, version, verify } = wish;
    const from = await liveOf(client, projection);
    if (from === undefined) return undefined;
    // A number is used once: somebody who still writes to tables of an earlier build must not meet a later one's.
    const { rows } = await client.query<{ next: number }>(
      `SELECT 1 + greatest(
         (SELECT max(generation) FROM generations WHERE projection = $1),
         (SELECT max(to_generation) FROM replays WHERE projection = $1)) AS next`,
      [projection],
    );
    const to = rows[0]?.next ?? from + 1;
    const planned = await insert(client, { projection, kind: 'replay', from, to, verify });
    if (planned)
      await client.query(
        `INSERT INTO generations (projection, generation, state, version, tally) VALUES ($1, $2, 'building', $3, '{}')`,
        [projection, to, version],
      );
    return planned;
  });

/** `busy`: readers are being brought somewhere already; `none`: no generation is kept. */
export type RollbackRefusal = 'busy' | 'none';

/** Plans to bring readers back to the generation that was live before. */
export const planRollback = (postgres: Postgres, projection: string): Promise<ReplayRecord | RollbackRefusal> =>
  inTransaction(postgres, async (client) => {
    const from = await liveOf(client, projection);
    const { rows } = await client.query<{ to: number }>(
      `SELECT generation AS "to" FROM generations WHERE projection = $1 AND state = 'kept'
       ORDER BY switched_at DESC NULLS LAST, generation DESC LIMIT 1`,
      [projection],
    );
    const to = rows[0]?.to;
    if (from === undefined || to === undefined) return 'none';
    return (await insert(client, { projection, kind: 'rollback', from, to, verify: false })) ?? 'busy';
  });

/** The lease of who conducts the replays of a projection. */
export const replayLeaseKey = (projection: string) => ({ projection: `replay:${projection}`, generation: 0 });

/** Who conducts a replay, and under which epoch: another's word does not count any more. */
export interface ReplayCoordination {
  readonly id: number;
  readonly projection: string;
  readonly epoch: bigint;
}

export type ReplayUpdate = Partial<
  Pick<
    ReplayRecord,
    | 'state'
    | 'position'
    | 'target'
    | 'total'
    | 'verified'
    | 'differences'
    | 'accounts'
    | 'step'
    | 'pausedMs'
    | 'error'
    | 'startedAt'
  >
> & {
  /** To be added. */
  readonly events?: number;
};

const columns = {
  state: 'state',
  position: 'position',
  target: 'target',
  total: 'total',
  verified: 'verified',
  differences: 'differences',
  accounts: 'accounts',
  step: 'step',
  pausedMs: 'paused_ms',
  error: 'error',
  startedAt: 'started_at',
  events: 'events',
} as const;

const ended: readonly (string | undefined)[] = ['done', 'failed', 'cancelled'];

/** Writes down how a replay goes, also that nothing changed. False: it has ended, or somebody else conducts it by now. */
export const updateReplay = async (
  postgres: Queryable,
  { id, projection, epoch }: ReplayCoordination,
  change: ReplayUpdate,
): Promise<boolean> => {
  const lease = replayLeaseKey(projection);
  const names = (Object.keys(columns) as (keyof typeof columns)[]).filter((name) => change[name] !== undefined);
  const set = names.map((name, index) => {
    const value = `$${index + 5}`;
    return name === 'events' ? `events = events + ${value}` : `${columns[name]} = ${value}`;
  });
  if (ended.includes(change.state)) set.push('ended_at = now()');
  if (set.length === 0) set.push('state = state');
  const { rowCount } = await postgres.query(
    `UPDATE replays SET ${set.join(', ')}
     WHERE id = $1 AND ended_at IS NULL
     AND EXISTS (SELECT 1 FROM leases WHERE projection = $2 AND generation = $3 AND epoch = $4 FOR SHARE)`,
    [id, lease.projection, lease.generation, epoch, ...names.map((name) => asValue(change[name]))],
  );
  return rowCount === 1;
};

const asValue = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  return Array.isArray(value) ? JSON.stringify(value) : value;
};

export interface GenerationSwitch extends ReplayCoordination, Pick<ReplayRecord, 'from' | 'to' | 'pausedMs'> {
  /** How long the one before is kept. */
  readonly keepMs: number;
  /** How long it stands still yet: who was pointed at it a moment ago must not see it ahead of the new one. */
  readonly lingerMs: number;
  readonly stoppedBy: WriterStopProof;
}

/** Why a generation does not move: its writer told where it is held, or nobody but the lease's epoch may write it. */
export type WriterStopProof = { readonly heldAt: bigint } | { readonly epoch: bigint };

/**
 * Whether the live generation has not moved: no batch begins before this transaction ends. A hold counts by the clock of this
 * moment: who was stopped since the transaction began must not believe in one that ended meanwhile.
 */
const isLiveGenerationStopped = async (
  client: Queryable,
  { projection, from, stoppedBy }: GenerationSwitch,
): Promise<boolean> => {
  const { rows } = await client.query<{ live: boolean; held: boolean | null; at: string | null }>(
    `SELECT state = 'live' AS live, held_until > clock_timestamp() AS held, held_position::text AS at FROM generations
     WHERE projection = $1 AND generation = $2 FOR UPDATE`,
    [projection, from],
  );
  const [row] = rows;
  if (!row?.live) return false;
  if ('heldAt' in stoppedBy) return row.held === true && row.at === stoppedBy.heldAt.toString();
  const { rowCount } = await client.query(
    'SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3 FOR SHARE',
    [projection, from, stoppedBy.epoch],
  );
  return rowCount === 1;
};

/**
 * Makes another generation the live one, and ends the replay with it: one step. Those that were kept before are to be dropped.
 * False: the live one may have moved meanwhile, or somebody else conducts the replay; nothing was changed.
 */
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
      `UPDATE generations SET state = 'kept', drop_after = now() + $3 * interval '1 millisecond',
         held_until = CASE WHEN held_until IS NULL THEN NULL ELSE now() + $4 * interval '1 millisecond' END
       WHERE projection = $1 AND generation = $2`,
      [projection, from, keepMs, lingerMs],
    );
    await client.query(
      `UPDATE generations SET state = 'live', switched_at = now(), drop_after = NULL, held_until = NULL, held_position = NULL
       WHERE projection = $1 AND generation = $2`,
      [projection, to],
    );
    await client.query('UPDATE read_models SET live_generation = $2, switched_at = now() WHERE projection = $1', [
      projection,
      to,
    ]);
    return true;
  });
