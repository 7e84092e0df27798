import type { Queryable } from './open-records.ts';

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

/** Something that is done within a state besides folding: `windows`: sets computed from all facts; `rows` compared; `log` counted. */
export interface ReplayStep {
  readonly name: 'windows' | 'rows' | 'log';
  readonly done: number;
  readonly of: number;
}

/** Events of a type, as the log has them and as the generation says what became of them. */
export interface EventTypeAccount {
  readonly type: string;
  readonly in_log: number;
  readonly made_rows: number;
  readonly set_aside: number;
  readonly made_none: number;
  /** Whether it adds up, and none made no row of a type whose events all do. */
  readonly is_right: boolean;
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
export const replayColumns = `id, projection, kind, from_generation AS "from", to_generation AS "to", verify, state,
  position::text AS position, target::text AS target, events::float8 AS events, total::float8 AS total, verified, differences,
  accounts, step,
  stood_still_ms AS "pausedMs", error, asked_at AS "requestedAt", started_at AS "startedAt",
  cancel_asked_at AS "cancelRequestedAt", ended_at AS "endedAt"`;

export const replayOf = (row: unknown): ReplayRecord => {
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
    `UPDATE replays SET cancel_asked_at = coalesce(cancel_asked_at, now()) WHERE id = $1 AND ended_at IS NULL
     RETURNING ${replayColumns}`,
    [id],
  );
  return rows.map(replayOf)[0];
};
