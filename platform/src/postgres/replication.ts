import { OperatorError } from '../runtime/operator-error.ts';
import type { Log } from '../telemetry/index.ts';
import type { Queryable } from './pool.ts';

export interface Standby {
  /** `application_name` of the standby's connection, which `synchronous_standby_names` refers to. */
  readonly name: string;
  readonly state: string;
  readonly isSynchronous: boolean;
  /** Bytes of WAL that the standby has not replayed; 0 if the server itself is a standby. */
  readonly lagBytes: number;
}

export interface ReplicationState {
  /** Address of the server itself, behind any proxy, or `on a local socket`. */
  readonly server: string;
  readonly isStandby: boolean;
  readonly synchronousStandbyNames: string;
  readonly synchronousCommit: string;
  readonly role: string;
  /** Undefined if the role may not see the standbys. */
  readonly standbys: readonly Standby[] | undefined;
}

interface StateRow {
  readonly server: string;
  readonly is_standby: boolean;
  readonly standby_names: string;
  readonly synchronous_commit: string;
  readonly role: string;
  readonly standbys: readonly Standby[] | null;
}

// A role without the rights of pg_read_all_stats sees a row for each standby in pg_stat_replication, but its columns are null.
const stateSql = `
  SELECT
    coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'on a local socket') AS server,
    pg_is_in_recovery() AS is_standby,
    current_setting('synchronous_standby_names') AS standby_names,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_user AS role,
    CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN coalesce(
      (SELECT jsonb_agg(jsonb_build_object(
          'name', application_name,
          'state', state,
          'isSynchronous', sync_state IN ('sync', 'quorum'),
          'lagBytes', CASE WHEN pg_is_in_recovery() THEN 0
            ELSE greatest(0, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)) END
        ) ORDER BY application_name)
        FROM pg_stat_replication WHERE state <> 'backup'), '[]') END AS standbys`;

export const readReplicationState = async (postgres: Queryable): Promise<ReplicationState> => {
  const { rows } = await postgres.query<StateRow>(stateSql);
  const row = rows[0]!;
  return {
    server: row.server,
    isStandby: row.is_standby,
    synchronousStandbyNames: row.standby_names,
    synchronousCommit: row.synchronous_commit,
    role: row.role,
    standbys: row.standbys ?? undefined,
  };
};

/** With these values of `synchronous_commit`, a commit waits until the standby has stored it on its disk. */
const waitingLevels = ['on', 'remote_apply'];

/** Returns why every standby may lack a confirmed commit, and what to do; undefined if commits wait for a standby. */
export const findMissingGuarantee = ({
  server,
  isStandby,
  synchronousStandbyNames,
  synchronousCommit,
  role,
}: ReplicationState): string | undefined => {
  if (isStandby) return `the server ${server} is a standby. Set DATABASE_URL to an address that follows the primary.`;
  if (parseStandbyNames(synchronousStandbyNames).count === 0)
    return (
      `synchronous_standby_names of the server ${server} is empty, so commits wait for no standby. ` +
      "Set it, for example to 'ANY 1 (standby1, standby2)', and reload the server."
    );
  if (!waitingLevels.includes(synchronousCommit))
    return (
      `synchronous_commit is ${synchronousCommit} for the role ${role} on the server ${server}, ` +
      'so commits do not wait until a standby has stored them. Set it to on, and reset it where ALTER ROLE or ALTER DATABASE has changed it.'
    );
  return undefined;
};

export interface RequiredStandbys {
  readonly count: number;
  /** In lower case, because PostgreSQL ignores case in these names; `*` is any standby. */
  readonly names: readonly string[];
}

/** Reads `a, b`, `2 (a, b)`, `FIRST 2 (a, b)` or `ANY 2 (a, b)`. Names may be in double quotes. */
export const parseStandbyNames = (setting: string): RequiredStandbys => {
  const [, count = '1', list = setting] = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(setting) ?? [];
  const names = [...list.matchAll(/"((?:[^"]|"")*)"|[^\s,"]+/g)].map(([name, quoted]) =>
    (quoted?.replaceAll('""', '"') ?? name).toLowerCase(),
  );
  return { count: names.length === 0 ? 0 : Number(count), names };
};

export const countMissingStandbys = ({
  synchronousStandbyNames,
  standbys = [],
}: Pick<ReplicationState, 'synchronousStandbyNames' | 'standbys'>): number => {
  const streaming = standbys.filter(({ isSynchronous, state }) => isSynchronous && state === 'streaming');
  return Math.max(0, parseStandbyNames(synchronousStandbyNames).count - streaming.length);
};

export class AsynchronousReplication extends OperatorError {
  override readonly name = 'AsynchronousReplication';
}

/**
 * Throws AsynchronousReplication if commits do not wait for a standby. If too few standbys are connected, only logs a warning, because
 * commits wait and none is lost.
 */
export const requireSynchronousStandby = async (postgres: Queryable, log: Log): Promise<void> => {
  const state = await readReplicationState(postgres);
  const missing = findMissingGuarantee(state);
  if (missing !== undefined)
    throw new AsynchronousReplication(
      `POSTGRES_REQUIRE_SYNC_STANDBY is true, and a fail-over of PostgreSQL may lose confirmed commits: ${missing}`,
    );
  const { server, standbys, role, synchronousStandbyNames } = state;
  if (standbys === undefined)
    log.warn({ server, role }, 'cannot see the standbys of PostgreSQL: grant pg_read_all_stats to the role');
  else if (countMissingStandbys(state) > 0)
    log.warn({ server, synchronousStandbyNames, standbys }, 'commits in PostgreSQL wait for a standby to connect');
};
