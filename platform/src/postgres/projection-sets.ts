import { countShardsOf } from '@popsvc/domain/partitioning';
import { readMembersOfSet } from './members.ts';
import { withMembersLock } from './partitioning.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import { replayLeaseKey } from './replays.ts';

export interface ProjectionSet {
  readonly shards: number;
  readonly projections: readonly string[];
  readonly usedBy: readonly string[];
}

export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

const leaseNames = (projections: readonly string[]): readonly string[] => [
  ...projections,
  ...projections.map((name) => replayLeaseKey(name).projection),
];

const readLeaseOwners = async (postgres: Queryable, projections: readonly string[]): Promise<readonly string[]> => {
  const { rows } = await postgres.query<{ owner: string }>(
    'SELECT DISTINCT owner FROM leases WHERE projection = ANY($1) AND expires_at > now()',
    [leaseNames(projections)],
  );
  return rows.map(({ owner }) => owner);
};

export const readProjectionNames = async (postgres: Queryable): Promise<readonly string[]> => {
  const { rows } = await postgres.query<{ projection: string }>(
    'SELECT projection FROM read_models ORDER BY projection',
  );
  return rows.map(({ projection }) => projection);
};

const readProjectionSet = async (
  postgres: Queryable,
  shards: number,
  names: readonly string[],
): Promise<ProjectionSet> => {
  const projections = names.filter((name) => countShardsOf(name) === shards);
  const members = await readMembersOfSet(postgres, shards);
  // A process that does not report as a member may still hold leases.
  const usedBy = members.length > 0 ? members : await readLeaseOwners(postgres, projections);
  return { shards, projections, usedBy };
};

/** Reads the sets with another number of shards than `own`, in ascending order of that number. */
export const readFormerSets = async (postgres: Queryable, own: number): Promise<readonly ProjectionSet[]> => {
  const names = await readProjectionNames(postgres);
  const counts = new Set(names.map(countShardsOf));
  counts.delete(own);
  const sets: ProjectionSet[] = [];
  for (const shards of [...counts].toSorted((one, other) => one - other))
    sets.push(await readProjectionSet(postgres, shards, names));
  return sets;
};

interface StoredRows {
  readonly table: string;
  readonly condition: string;
  readonly value: unknown;
}

const listStoredRows = async (
  postgres: Queryable,
  { shards, projections }: ProjectionSet,
): Promise<readonly StoredRows[]> => {
  const { rows } = await postgres.query<{ relation: string }>('SELECT relation FROM suspected_tables');
  const relations = rows.map(({ relation }) => relation).filter((relation) => countShardsOf(relation) === shards);
  const ofProjection = [
    'checkpoints',
    'generations',
    'parked_events',
    'projection_status',
    'read_models',
    'replays',
    'table_parts',
  ];
  return [
    ...ofProjection.map((table) => ({ table, condition: 'projection = ANY($1)', value: projections })),
    { table: 'leases', condition: 'projection = ANY($1)', value: leaseNames(projections) },
    { table: 'suspected_tables', condition: 'relation = ANY($1)', value: relations },
    ...['derived_rows', 'log_repairs'].map((table) => ({ table, condition: 'shards = $1', value: shards })),
  ];
};

export const countRowsOfSet = async (postgres: Queryable, set: ProjectionSet): Promise<readonly TableRows[]> => {
  const counts: TableRows[] = [];
  for (const { table, condition, value } of await listStoredRows(postgres, set)) {
    const { rows } = await postgres.query<{ rows: number }>(
      `SELECT count(*)::float8 AS rows FROM ${table} WHERE ${condition}`,
      [value],
    );
    counts.push({ table, rows: rows[0]!.rows });
  }
  return counts.filter(({ rows }) => rows > 0);
};

/** Keeps each statement within its time limit. */
const rowsPerStatement = 50_000;

const deleteRows = async (client: Queryable, { table, condition, value }: StoredRows): Promise<TableRows> => {
  let rows = 0;
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2))`,
      [value, rowsPerStatement],
    );
    rows += rowCount ?? 0;
    if ((rowCount ?? 0) < rowsPerStatement) return { table, rows };
  }
};

/** `usedBy`: processes run the projections, so nothing was deleted. */
export type ForgottenSet =
  { readonly set: ProjectionSet; readonly rows: readonly TableRows[] } | { readonly usedBy: readonly string[] };

/** Deletes everything that PostgreSQL stores for the projections of a number of shards. Projectors that start meanwhile wait. */
export const forgetProjectionSet = (postgres: Postgres, shards: number): Promise<ForgottenSet> =>
  withMembersLock(postgres, () =>
    inTransaction(postgres, async (client) => {
      const set = await readProjectionSet(client, shards, await readProjectionNames(client));
      if (set.usedBy.length > 0) return { usedBy: set.usedBy };
      const deleted: TableRows[] = [];
      for (const stored of await listStoredRows(client, set)) deleted.push(await deleteRows(client, stored));
      return { set, rows: deleted.filter(({ rows }) => rows > 0) };
    }),
  );
