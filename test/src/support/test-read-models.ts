import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { TestClickHouse } from './clickhouse-engine.ts';

/** The address of a database in which `make` made the tables, and which holds nothing else. */
export type MakeReadModels = (
  engine: TestClickHouse,
  make: (writer: ClickHouseWriter) => Promise<void>,
) => Promise<string>;

const using = async <T>(
  engine: TestClickHouse,
  url: string,
  work: (writer: ClickHouseWriter) => Promise<T>,
): Promise<T> => {
  const writer = openClickHouseWriter({ url, ...engine.writer });
  return work(writer).finally(() => writer.close());
};

export const createReadModels: MakeReadModels = async (engine, make) => {
  const url = `${engine.url}/${await engine.database()}`;
  await using(engine, url, make);
  return url;
};

const shapeOf = async (writer: ClickHouseWriter): Promise<string> =>
  JSON.stringify(
    await writer.rows(
      'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND NOT is_temporary ORDER BY name',
    ),
  );

/** As after they were made: dictionaries keep what they read, also of tables that are empty by now. */
const clear = async (writer: ClickHouseWriter): Promise<void> => {
  const filled = await writer.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0",
  );
  await Promise.all(filled.map(({ name }) => writer.run(`TRUNCATE TABLE ${name} SYNC`)));
  const read = await writer.rows<{ name: string }>(
    "SELECT name FROM system.dictionaries WHERE database = currentDatabase() AND status != 'NOT_LOADED'",
  );
  for (const { name } of read) await writer.run(`SYSTEM RELOAD DICTIONARY ${name}`);
};

/**
 * For houses of which one is closed before the next is made: they get the same database, emptied. To make its tables costs more than
 * most of what a test does with them. One that was left with other tables or views than were made is not used again.
 */
export const reusableReadModels = (): MakeReadModels => {
  let last: { readonly url: string; readonly shape: string } | undefined;
  const again = async (writer: ClickHouseWriter): Promise<boolean> => {
    if ((await shapeOf(writer)) !== last?.shape) return false;
    await clear(writer);
    return true;
  };
  return async (engine, make) => {
    if (last && (await using(engine, last.url, again))) return last.url;
    const url = await createReadModels(engine, make);
    last = { url, shape: await using(engine, url, shapeOf) };
    return url;
  };
};
