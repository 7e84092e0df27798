import { z } from 'zod';
import { Instant } from '../time/instant.ts';

/** The results of `popsvc backup create` in DATA_DIR. The command writes them, and the check `backup` reads them. */
export const BackupRecord = z.object({
  /** The newest complete backup; null if none has been made. */
  complete: z.object({ at: Instant, folder: z.string() }).nullable(),
  /** The last attempt, if it failed. */
  failure: z.object({ at: Instant, error: z.string() }).nullable(),
});
export type BackupRecord = z.output<typeof BackupRecord>;

/** Name of the file in DATA_DIR that contains a `BackupRecord`. */
export const backupRecordFile = 'backup-record.json';
