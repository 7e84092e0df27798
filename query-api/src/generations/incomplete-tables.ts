import { ApiError } from '@popsvc/contracts/errors';
import { type ClickHouseReader, isTableMissing, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { createSampler } from '@popsvc/platform/runtime';
import { incompleteListMaxAgeMs } from '@popsvc/read-models/generations';

/**
 * Selects the names of tables and views that an upgrade added. They lack rows of earlier events until a replay builds the next
 * generation.
 */
const incompleteTablesQuery: Sql = sql`SELECT name FROM ${liveViewName({ name: 'incomplete' })}`;

/**
 * A request waits up to `readTimeoutMs` for a new list of tables. If ClickHouse does not respond, the last list is used for up to
 * `fallbackMs`.
 */
const [readTimeoutMs, fallbackMs] = [1_000, 30_000];

/**
 * Returns no names if the view does not exist. In that case an older software version created the schema, and all of its tables
 * are complete.
 */
const noneIfViewIsMissing = (error: unknown): readonly { name: string }[] => {
  if (isTableMissing(error)) return [];
  throw error;
};

/**
 * Creates a function that reads the names of the incomplete tables. If a read fails, the function returns a recent list instead.
 * It rejects if there is no recent list.
 */
const createIncompleteTablesReader = (reader: ClickHouseReader): (() => Promise<readonly string[]>) => {
  let last: { readonly names: readonly string[]; readonly until: number } | undefined;
  const read = async () => {
    const rows = await reader.rows<{ name: string }>(incompleteTablesQuery).catch(noneIfViewIsMissing);
    const names = rows.map(({ name }) => name);
    last = { names, until: performance.now() + fallbackMs };
    return names;
  };
  const sample = createSampler(read, { maxAgeMs: incompleteListMaxAgeMs, timeoutMs: readTimeoutMs });
  return async () => (await sample()) ?? (last && performance.now() < last.until ? last.names : read());
};

/**
 * Wraps a reader so that it rejects queries that read incomplete tables. An upgrade added these tables to the live generation, so
 * they lack the rows of events before the upgrade, and the response would be wrong.
 */
export const rejectIncompleteTables = (reader: ClickHouseReader): ClickHouseReader => {
  const readIncomplete = createIncompleteTablesReader(reader);
  const requireComplete = async ({ relations }: Sql): Promise<void> => {
    const incomplete = await readIncomplete();
    if (incomplete.some((name) => relations.has(name)))
      throw new ApiError('UNAVAILABLE', 'This data is being rebuilt after an upgrade. Retry later.', {
        retryAfterSeconds: 60,
      });
  };
  return {
    ...reader,
    async lines(query, options) {
      await requireComplete(query);
      return reader.lines(query, options);
    },
    async rows<Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) {
      await requireComplete(query);
      return reader.rows<Row>(query, options);
    },
    async stream(query, format, options) {
      await requireComplete(query);
      return reader.stream(query, format, options);
    },
  };
};
