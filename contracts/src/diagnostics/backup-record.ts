import { z } from 'zod';
import { Instant } from '../time/instant.ts';

/** The results of `popsvc backup create`, as stored in DATA_DIR. */
export const BackupRecord = z.object({
  complete: z.object({ at: Instant, folder: z.string() }).nullable(),
  failure: z.object({ at: Instant, error: z.string() }).nullable(),
});
export type BackupRecord = z.output<typeof BackupRecord>;

export const backupRecordFile = 'backup-record.json';
