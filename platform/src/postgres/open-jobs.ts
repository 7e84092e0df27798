import { keepRenewed, leaseTtlMs, type RenewedLease } from './leases.ts';
import type { Queryable } from './pool.ts';

export interface OpenJob {
  readonly jobId: string;
  readonly network: number;
  readonly sizeBytes: number;
}

/** Other workers claim the job once this process has not renewed its claim for 15 s. */
export interface ClaimedJob extends OpenJob, Pick<RenewedLease, 'isHeld'> {
  readonly claims: number;
  /** Lets any worker claim the job after `afterMs`. Does nothing if another worker has claimed the job in the meantime. */
  release(afterMs: number): Promise<void>;
  remove(): Promise<void>;
}

export interface JobClass {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly total: number;
  readonly perNetwork: number;
}

export interface JobClaim {
  /** Name of the worker. After a restart, the worker may claim its former jobs again at once. */
  readonly owner: string;
  readonly jobClass: JobClass;
  readonly running: readonly OpenJob[];
  /** The networks of earlier claims, each once, in the order in which they were last served. */
  readonly served: readonly number[];
}

const inMs = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;

export const storeOpenJobs = async (
  client: Queryable,
  queued: readonly (OpenJob & { readonly position: bigint })[],
  endedIds: readonly string[],
): Promise<void> => {
  if (queued.length > 0)
    await client.query(
      `INSERT INTO open_jobs (job_id, network, size_bytes, position)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) ON CONFLICT DO NOTHING`,
      [
        queued.map(({ jobId }) => jobId),
        queued.map(({ network }) => network),
        queued.map(({ sizeBytes }) => sizeBytes),
        queued.map(({ position }) => position.toString()),
      ],
    );
  if (endedIds.length > 0) await client.query('DELETE FROM open_jobs WHERE job_id = ANY($1)', [endedIds]);
};

/** Chooses the network with the fewest jobs in `running`. Returns undefined if no job is due, or if a limit is reached. */
export const claimJob = async (
  postgres: Queryable,
  { owner, jobClass: { minBytes, maxBytes, total, perNetwork }, running, served }: JobClaim,
): Promise<ClaimedJob | undefined> => {
  const ofClass = running.filter(({ sizeBytes }) => sizeBytes >= minBytes && sizeBytes <= maxBytes);
  if (ofClass.length >= total) return undefined;
  const requestedAtMs = performance.now();
  const { rows } = await postgres.query<OpenJob & { readonly claims: number }>(
    `UPDATE open_jobs SET claimed_by = $1, claims = claims + 1, due_at = ${inMs('$2')} WHERE job_id = (
       SELECT job_id FROM open_jobs
         LEFT JOIN (SELECT network, count(*) AS jobs FROM unnest($3::bigint[]) AS r (network) GROUP BY network) own USING (network)
       WHERE (due_at <= now() OR claimed_by = $1) AND job_id <> ALL($4) AND size_bytes BETWEEN $5 AND $6
         AND coalesce(own.jobs, 0) < $7
       ORDER BY coalesce(own.jobs, 0), array_position($8::bigint[], network) NULLS FIRST, position
       LIMIT 1 FOR UPDATE OF open_jobs SKIP LOCKED)
     RETURNING job_id AS "jobId", network::float8 AS network, size_bytes::float8 AS "sizeBytes", claims`,
    [
      owner,
      leaseTtlMs,
      ofClass.map(({ network }) => network),
      running.map(({ jobId }) => jobId),
      minBytes,
      maxBytes,
      perNetwork,
      served,
    ],
  );
  return rows[0] && holdJob(postgres, rows[0], requestedAtMs);
};

const holdJob = (
  postgres: Queryable,
  job: OpenJob & { readonly claims: number },
  requestedAtMs: number,
): ClaimedJob => {
  const { jobId, claims } = job;
  const renew = async () => {
    const { rowCount } = await postgres.query(
      // A renewal that arrives after the release must not postpone the job.
      `UPDATE open_jobs SET due_at = ${inMs('$3')} WHERE job_id = $1 AND claims = $2 AND claimed_by IS NOT NULL`,
      [jobId, claims, leaseTtlMs],
    );
    return rowCount === 1;
  };
  const { isHeld, stop } = keepRenewed(renew, requestedAtMs);
  return {
    ...job,
    isHeld,
    // If the release fails, other workers claim the job when the claim expires.
    async release(afterMs) {
      stop();
      await postgres
        .query(`UPDATE open_jobs SET claimed_by = NULL, due_at = ${inMs('$3')} WHERE job_id = $1 AND claims = $2`, [
          jobId,
          claims,
          afterMs,
        ])
        .catch(() => undefined);
    },
    async remove() {
      stop();
      await postgres.query('DELETE FROM open_jobs WHERE job_id = $1', [jobId]).catch(() => undefined);
    },
  };
};
