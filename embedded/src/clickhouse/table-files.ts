import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from './engine-config.ts';

/** The format version of all tables of the MergeTree family that are created with `ORDER BY`. */
const formatVersion = '1';

/** Returns the paths of the folders in a folder, or none if it does not exist. */
const listFolders = (dir: string): readonly string[] =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(dir, entry.name)] : []))
    : [];

/**
 * Throws an error that names the file if the format version of a table is damaged. ClickHouse itself loads such a table and responds to
 * queries, but rejects every insert without naming the table or the file. A file that does not begin with a number is ignored, because
 * ClickHouse then refuses to load the table, or skips it as one whose creation was interrupted.
 */
export const assertTableFormats = (dir: string): void => {
  for (const table of listFolders(join(dataPath(dir), 'store')).flatMap(listFolders)) {
    const file = join(table, 'format_version.txt');
    const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (/^\d/.test(version) && version !== formatVersion)
      throw new Error(`${file} is damaged: write ${formatVersion} to it, and start again`);
  }
};

/** Returns the paths of the files in a table's folder, without those of its parts. */
const listTableFiles = (dir: string, uuid: string): readonly string[] => {
  const folder = join(dataPath(dir), 'store', uuid.slice(0, 3), uuid);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => join(folder, name)).sort();
};

const attachedTable = /ATTACH TABLE \S+ UUID '([0-9a-f-]{36})'/;

/**
 * Adds advice for the operator to the last messages of an engine that failed to start. If the engine could not attach a table, also adds
 * the paths of the table's files, which the messages often omit.
 */
export const explainStartFailure = (dir: string, messages: string): string => {
  const [, uuid] = attachedTable.exec(messages) ?? [];
  const files = uuid === undefined ? [] : listTableFiles(dir, uuid);
  return [
    messages,
    ...(files.length > 0 ? [`The table is read from ${files.join(', ')} and its parts.`] : []),
    `Paths are relative to ${dataPath(dir)}. If files are damaged, move ${dir} away, or replace it by the copy of a backup: ` +
      'replays build the tables again from the event log.',
  ].join('\n');
};
