import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OperatorError, readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import { clusterPath, describeReplacement } from './cluster.ts';

/** SHA-256 hashes. The keys of `files` are paths relative to the cluster. */
interface ShutdownManifest {
  /** Hash of the control file, which every run of a server changes. */
  readonly control: string;
  readonly files: Readonly<Record<string, string>>;
}

const manifestPath = (dataDir: string): string => join(dataDir, 'files-at-shutdown.json');
const controlFile = join('global', 'pg_control');

/** Excludes the WAL, which has checksums of its own. */
const folders = ['base', 'global', 'pg_xact', 'pg_multixact', 'pg_logical'];
/** Excludes free space maps, caches and temporary files, which the server can do without, and the control file. */
const isListed = (path: string): boolean => !/_fsm$|pg_internal\.init$|pgsql_tmp/.test(path) && path !== controlFile;

/** To hash larger clusters would delay the stop of the service, which must end within 10 s. */
const maxBytes = 256 * 1_048_576;

/** The state of a cluster after an orderly stop, and the offset of the state in the control file. */
const [shutDown, stateOffset] = [1, 16];

const listFiles = (cluster: string): readonly string[] =>
  folders
    .map((folder) => join(cluster, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(cluster, join(entry.parentPath, entry.name)))
    .filter(isListed);

const hashFile = async (path: string): Promise<string> => hash('sha256', await readFile(path));

/** Unlike data checksums, the hashes reveal that a file is another table's file or lacks whole pages. */
export const writeShutdownManifest = async (dataDir: string): Promise<void> => {
  const cluster = clusterPath(dataDir);
  if (!existsSync(join(cluster, controlFile))) return;
  const control = readFileSync(join(cluster, controlFile));
  if (control.length < stateOffset + 4 || control.readUInt32LE(stateOffset) !== shutDown) return;
  const paths = listFiles(cluster);
  if (paths.reduce((sum, path) => sum + statSync(join(cluster, path)).size, 0) > maxBytes) return;
  const files: Record<string, string> = {};
  for (const path of paths) files[path] = await hashFile(join(cluster, path));
  await writeJsonFile(manifestPath(dataDir), { control: hash('sha256', control), files } satisfies ShutdownManifest);
};

const readManifest = async (dataDir: string): Promise<ShutdownManifest | undefined> => {
  const found = await readJsonFile(manifestPath(dataDir)).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  const isManifest = typeof found === 'object' && found !== null && 'control' in found && 'files' in found;
  return isManifest ? (found as ShutdownManifest) : undefined;
};

const maxNamed = 3;

/**
 * Throws an OperatorError if files were changed or removed. Compares nothing if a server has used the cluster since its last orderly stop.
 */
export const verifyShutdownManifest = async (dataDir: string): Promise<void> => {
  const cluster = clusterPath(dataDir);
  const manifest = await readManifest(dataDir);
  const control = join(cluster, controlFile);
  if (manifest && existsSync(control) && (await hashFile(control)) === manifest.control) {
    const damaged: string[] = [];
    for (const [path, expected] of Object.entries(manifest.files)) {
      const file = join(cluster, path);
      if (!existsSync(file)) damaged.push(`${file} is missing`);
      else if ((await hashFile(file)) !== expected) damaged.push(`${file} has changed`);
    }
    if (damaged.length > 0)
      throw new OperatorError(
        `files of PostgreSQL are damaged since its last stop: ${damaged.slice(0, maxNamed).join(', ')}` +
          `${damaged.length > maxNamed ? ` and ${damaged.length - maxNamed} more` : ''}. ` +
          `To repair them, ${describeReplacement(dataDir)}. To start with the files as they are, remove ${manifestPath(dataDir)}.`,
      );
  }
  await rm(manifestPath(dataDir), { force: true });
};
