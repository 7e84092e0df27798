import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from './engine-config.ts';

/** The format version of all tables of the MergeTree family that are created with `ORDER BY`. */
const formatVersion = '1';

const listFolders = (dir: string): readonly string[] =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(dir, entry.name)] : []))
    : [];

/**
 * With another number in `format_version.txt`, ClickHouse loads the table, but rejects every insert without naming the table or the file.
 */
export const assertTableFormats = (dir: string): void => {
  for (const table of listFolders(join(dataPath(dir), 'store')).flatMap(listFolders)) {
    const file = join(table, 'format_version.txt');
    const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (/^\d/.test(version) && version !== formatVersion)
      throw new Error(`${file} is damaged: write ${formatVersion} to it, and start again`);
  }
};

const listTableFiles = (dir: string, uuid: string): readonly string[] => {
  const folder = join(dataPath(dir), 'store', uuid.slice(0, 3), uuid);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => join(folder, name)).sort();
};

const attachedTable = /ATTACH TABLE \S+ UUID '([0-9a-f-]{36})'/;

/** The messages of the engine often omit the paths of a table that it could not attach. */
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
