import type { LeaseKey } from './leases.ts';
import type { Queryable } from './pool.ts';

export interface ProjectionStatusReport extends LeaseKey {
  readonly state: string;
  readonly error: string | undefined;
  readonly owner: string;
  /** When the newest projected event was appended, in ms since 1970; 0 if no event has been projected. */
  readonly asOfMs: number;
}

export interface ProjectionStatusRecord extends Omit<ProjectionStatusReport, 'error' | 'partition'> {
  readonly partition: number;
  readonly error: string | null;
  readonly position: bigint;
  readonly isFresh: boolean;
}

const freshSeconds = 20;

/** Ignores a report if another process holds the lease of the partition. */
export const writeProjectionStatuses = async (
  postgres: Queryable,
  reports: readonly ProjectionStatusReport[],
): Promise<void> => {
  if (reports.length === 0) return;
  await postgres.query(
    `INSERT INTO projection_status (projection, generation, partition, state, error, owner, as_of)
     SELECT s.projection, s.generation, coalesce(s.partition, 0), s.state, s.error, s.owner, to_timestamp(nullif(s.as_of_ms, 0) / 1000.0)
     FROM jsonb_to_recordset($1)
       AS s(projection text, generation int, partition int, state text, error text, owner text, as_of_ms float8)
     WHERE NOT EXISTS (SELECT 1 FROM leases l WHERE l.projection = s.projection AND l.generation = s.generation
       AND l.partition = coalesce(s.partition, 0) AND l.owner NOT IN (s.owner, s.owner || '/replay') AND l.expires_at > now())
     ON CONFLICT (projection, generation, partition) DO UPDATE SET state = excluded.state, error = excluded.error,
       owner = excluded.owner, as_of = coalesce(excluded.as_of, projection_status.as_of), reported_at = now()`,
    [JSON.stringify(reports.map(({ asOfMs, ...report }) => ({ ...report, as_of_ms: asOfMs })))],
  );
};

/** Also returns generations without a report, for example one that was built while its projection was paused. */
export const readProjectionStatuses = async (postgres: Queryable): Promise<readonly ProjectionStatusRecord[]> => {
  const { rows } = await postgres.query<Omit<ProjectionStatusRecord, 'position'> & { position: string }>(
    `SELECT projection, generation, partition, coalesce(s.state, 'stopped') AS state, s.error, coalesce(s.owner, '') AS owner,
       coalesce(c.position, 0)::text AS position, coalesce(extract(epoch FROM s.as_of) * 1000, 0)::float8 AS "asOfMs",
       coalesce(s.reported_at > now() - interval '${freshSeconds} seconds', false) AS "isFresh"
     FROM (SELECT projection, generation, partition FROM projection_status
       UNION SELECT projection, generation, partition FROM checkpoints JOIN generations USING (projection, generation)
       UNION SELECT projection, generation, 0 FROM generations) each
       LEFT JOIN projection_status s USING (projection, generation, partition)
       LEFT JOIN checkpoints c USING (projection, generation, partition)
     ORDER BY projection, generation, partition`,
  );
  return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
};
