import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from './engine-config.ts';

/** Returns the files that ClickHouse reads when it attaches a table, before the table's parts. */
const listTableFiles = (dir: string, uuid: string): readonly string[] => {
  const folder = join(dataPath(dir), 'store', uuid.slice(0, 3), uuid);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => join(folder, name)).sort();
};

const attachedTable = /ATTACH TABLE \S+ UUID '([0-9a-f-]{36})'/;

/**
 * Adds to the last messages of an engine that did not start: the files of the table that it could not attach, which the messages
 * often do not name, and what to do.
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
