import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from './engine-config.ts';

/** The format version of all tables whose definition has a partition key, as ClickHouse writes it. */
const formatVersion = '1';

/** Returns the paths of the folders in a folder, or none if it does not exist. */
const listFolders = (dir: string): readonly string[] =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(dir, entry.name)] : []))
    : [];

/**
 * Throws an error that names the file if the format version of a table is damaged. ClickHouse loads such a table, responds to
 * queries, and rejects every insert without naming the table or the file.
 */
export const assertTableFormats = (dir: string): void => {
  for (const table of listFolders(join(dataPath(dir), 'store')).flatMap(listFolders)) {
    const file = join(table, 'format_version.txt');
    if (existsSync(file) && readFileSync(file, 'utf8').trim() !== formatVersion)
      throw new Error(`${file} is damaged: it must contain ${formatVersion}`);
  }
};
