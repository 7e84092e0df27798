import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '@popsvc/platform/runtime';
import pMap from 'p-map';
import { describeDamage } from '../event-store/log/damage.ts';
import { verifyLog } from '../event-store/maintenance/verify-log.ts';
import { measureFile } from './copy-file.ts';
import { type BackupSummary, summarizeBackup } from './create-backup.ts';
import { type BackedUpFile, type BackupManifest, manifestPath, readManifest } from './manifest.ts';

export interface BackupReport extends BackupSummary {
  readonly problems: readonly string[];
}

const concurrency = 4;

const findFileProblem = async (folder: string, { path, bytes, sha256 }: BackedUpFile): Promise<string | undefined> => {
  const file = join(folder, path);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return `${file} is missing`;
  if (found.size !== bytes) return `${file} has ${found.size} bytes, but ${bytes} were written`;
  return (await measureFile(file)).sha256 === sha256
    ? undefined
    : `${file} has changed: its hash is not the stored one`;
};

const findUnknownFiles = async (folder: string, { files }: BackupManifest): Promise<readonly string[]> => {
  const known = new Set([manifestPath(folder), ...files.map(({ path }) => join(folder, path))]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !known.has(path))
    .map((path) => `${path} is not part of the backup`);
};

const findPositionProblems = (manifest: BackupManifest, logEnd: number): readonly string[] => [
  ...(logEnd === manifest.log_end
    ? []
    : [`event-store ends at position ${logEnd}, but ${manifest.log_end} was copied`]),
  ...manifest.checkpoints
    .filter(({ position, begun }) => [position, begun].some((each) => BigInt(each) > BigInt(logEnd)))
    .map(
      ({ projection, generation, position }) =>
        `the checkpoint of ${projection} generation ${generation} (${position}) is beyond the end of the log (${logEnd})`,
    ),
];

/** Throws an OperatorError if the backup is incomplete or its manifest damaged. */
export const requireManifest = async (folder: string): Promise<BackupManifest> => {
  const manifest = await readManifest(folder);
  if (manifest === 'missing')
    throw new OperatorError(
      `${folder} is no complete backup: ${manifestPath(folder)} is missing, which is written last. Use another backup.`,
    );
  if (manifest === 'damaged')
    throw new OperatorError(`${manifestPath(folder)} is damaged, or of a release that this one does not know`);
  return manifest;
};

export const verifyBackup = async (folder: string): Promise<BackupReport> => {
  const manifest = await requireManifest(folder);
  const found = await pMap(manifest.files, (file) => findFileProblem(folder, file), { concurrency });
  const problems = [...found.filter((problem) => problem !== undefined), ...(await findUnknownFiles(folder, manifest))];
  if (problems.length > 0) return { ...summarizeBackup(folder, manifest), problems };
  const log = await verifyLog(join(folder, 'event-store'));
  return {
    ...summarizeBackup(folder, manifest),
    problems: [...log.damages.map(describeDamage), ...findPositionProblems(manifest, log.end)],
  };
};
