import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { TestClickHouse } from './engines.ts';

/** Returns the URL of a ClickHouse database that contains the tables created by `make`, all of them empty. */
export type MakeReadModels = (
  engine: TestClickHouse,
  make: (writer: ClickHouseWriter) => Promise<void>,
) => Promise<string>;

const withWriter = async <T>(
  engine: TestClickHouse,
  url: string,
  work: (writer: ClickHouseWriter) => Promise<T>,
): Promise<T> => {
  const writer = openClickHouseWriter({ url, ...engine.writer });
  return work(writer).finally(() => writer.close());
};

/** Creates a new database for every call. */
export const createReadModels: MakeReadModels = async (engine, make) => {
  const url = `${engine.url}/${await engine.database()}`;
  await withWriter(engine, url, make);
  return url;
};

const readTableDefinitions = async (writer: ClickHouseWriter): Promise<string> =>
  JSON.stringify(
    await writer.rows(
      'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND NOT is_temporary ORDER BY name',
    ),
  );

/** Empties the tables but that of time zones, and reloads the dictionaries, which otherwise keep the rows they have loaded. */
const emptyTables = async (writer: ClickHouseWriter): Promise<void> => {
  const filled = await writer.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0 AND name != 'time_zones_g1'",
  );
  await Promise.all(filled.map(({ name }) => writer.run(`TRUNCATE TABLE ${name} SYNC`)));
  const read = await writer.rows<{ name: string }>(
    "SELECT name FROM system.dictionaries WHERE database = currentDatabase() AND status != 'NOT_LOADED'",
  );
  for (const { name } of read) await writer.run(`SYSTEM RELOAD DICTIONARY ${name}`);
};

/**
 * Returns a `MakeReadModels` that empties and reuses its database, for test systems that run one after the other. Creating the
 * tables takes longer than most tests. A database whose tables or views have changed since their creation is not reused.
 */
export const reusableReadModels = (): MakeReadModels => {
  let last: { readonly url: string; readonly definitions: string } | undefined;
  const tryToEmpty = async (writer: ClickHouseWriter): Promise<boolean> => {
    if ((await readTableDefinitions(writer)) !== last?.definitions) return false;
    await emptyTables(writer);
    return true;
  };
  return async (engine, make) => {
    if (last && (await withWriter(engine, last.url, tryToEmpty))) return last.url;
    const url = await createReadModels(engine, make);
    last = { url, definitions: await withWriter(engine, url, readTableDefinitions) };
    return url;
  };
};
