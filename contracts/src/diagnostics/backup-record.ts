import { z } from 'zod';
import { Instant } from '../time/instant.ts';

/** The newest complete backup by `popsvc backup create`, and the error if the last attempt failed. The file is in DATA_DIR. */
export const BackupRecord = z.object({
  complete: z.object({ at: Instant, folder: z.string() }).nullable(),
  failure: z.object({ at: Instant, error: z.string() }).nullable(),
});
export type BackupRecord = z.output<typeof BackupRecord>;

export const backupRecordFile = 'backup-record.json';
