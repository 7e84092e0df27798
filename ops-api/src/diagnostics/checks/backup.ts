import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BackupRecord,
  backupRecordFile,
  createCheck,
  failed,
  type Finding,
  warning,
} from '@popsvc/contracts/diagnostics';
import type { ServiceEvaluation } from '../dependencies.ts';

/** Reads the results of `popsvc backup create` from a folder; undefined if the folder has none. */
export const readBackupRecord = async (folder: string): Promise<BackupRecord | undefined> => {
  try {
    return BackupRecord.parse(JSON.parse(await readFile(join(folder, backupRecordFile), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** A backup is due every day; the second day allows for a late one. */
const maxBackupAgeSeconds = 2 * 86_400;

const check = createCheck('backup', 'The last backup with `popsvc backup create` succeeded, and is recent.', {
  failed: failed(
    'Fix what the error names, then run the backup again (systemd: `systemctl start popsvc-backup`). `journalctl --unit popsvc-backup` has the output of the timer.',
  ),
  old: warning(
    'Check the timer that makes backups (systemd: `systemctl list-timers popsvc-backup.timer`), or run `popsvc backup create FOLDER`.',
    { threshold: maxBackupAgeSeconds, begins: `none for ${maxBackupAgeSeconds / 86_400} days` },
  ),
});

const judgeRecord = ({ complete, failure }: BackupRecord): Finding => {
  const newest = complete === null ? 'no backup is complete' : `the newest is of ${complete.at}, in ${complete.folder}`;
  if (failure)
    return check.problem('failed', {
      found: `the backup of ${failure.at} failed: ${failure.error}; ${newest}`,
      sinceMs: Date.parse(failure.at),
    });
  const isOld = complete !== null && Date.now() - Date.parse(complete.at) > maxBackupAgeSeconds * 1_000;
  return isOld
    ? check.problem('old', { found: newest, sinceMs: Date.parse(complete.at) })
    : check.ok({ found: newest });
};

export const backup: ServiceEvaluation = {
  check,
  async evaluate({ folders }) {
    const records = (await Promise.all(folders.map(readBackupRecord))).filter((record) => record !== undefined);
    if (records.length > 0) return records.map(judgeRecord);
    return [
      check.ok({
        found: 'not observed: `popsvc backup create` has made none; backups with other tools are not checked',
      }),
    ];
  },
};
