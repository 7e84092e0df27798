import type { Queryable } from './pool.ts';

/** From `checkAt` on, another process may claim the check if this process does not complete it. */
export interface UploadCheck {
  readonly fileId: string;
  readonly checkAt: Date;
  readonly isJobEnded: boolean;
}

export interface UploadChanges {
  readonly requested: readonly { readonly fileId: string; readonly jobId: string }[];
  readonly claimedJobIds: readonly string[];
  readonly endedJobIds: readonly string[];
}

/** The checks of the requested uploads, and of uploads whose job was claimed or has ended, become due at `nowMs`. */
export const storeOpenUploads = async (
  client: Queryable,
  { requested, claimedJobIds, endedJobIds }: UploadChanges,
  nowMs: number,
): Promise<void> => {
  const now = new Date(nowMs);
  if (requested.length > 0)
    await client.query(
      `INSERT INTO open_uploads (file_id, job_id, check_at)
       SELECT f, j, $3 FROM unnest($1::text[], $2::text[]) AS r (f, j) ON CONFLICT DO NOTHING`,
      [requested.map(({ fileId }) => fileId), requested.map(({ jobId }) => jobId), now],
    );
  if (claimedJobIds.length + endedJobIds.length > 0)
    await client.query(
      'UPDATE open_uploads SET check_at = $3, job_ended = job_ended OR job_id = ANY($2::text[]) WHERE job_id = ANY($1::text[] || $2::text[])',
      [claimedJobIds, endedJobIds, now],
    );
};

/** The checks become due again after `retryMs`, unless they are postponed or the uploads are removed. */
export const claimUploadChecks = async (
  postgres: Queryable,
  { nowMs, retryMs, limit }: { readonly nowMs: number; readonly retryMs: number; readonly limit: number },
): Promise<readonly UploadCheck[]> => {
  const { rows } = await postgres.query<UploadCheck>(
    `UPDATE open_uploads SET check_at = $2 WHERE file_id IN (
       SELECT file_id FROM open_uploads WHERE check_at <= $1 ORDER BY check_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING file_id AS "fileId", check_at AS "checkAt", job_ended AS "isJobEnded"`,
    [new Date(nowMs), new Date(nowMs + retryMs), limit],
  );
  return rows;
};

/** Does nothing if the time of the check has changed since the check was claimed. */
export const postponeUploadCheck = async (
  postgres: Queryable,
  { fileId, checkAt }: UploadCheck,
  untilMs: number,
): Promise<void> => {
  await postgres.query('UPDATE open_uploads SET check_at = $3 WHERE file_id = $1 AND check_at = $2', [
    fileId,
    checkAt,
    new Date(untilMs),
  ]);
};

export const removeOpenUpload = async (postgres: Queryable, fileId: string): Promise<void> => {
  await postgres.query('DELETE FROM open_uploads WHERE file_id = $1', [fileId]);
};
