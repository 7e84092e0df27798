import { ApiError } from '@popsvc/contracts/errors';
import { isTableMissing, type ClickHouseReader, type Sql } from '@popsvc/platform/clickhouse';
import { createSampler } from '@popsvc/platform/runtime';
import { incompleteListMaxAgeMs } from '@popsvc/read-models/generations';
import { incompleteTablesQuery } from '../queries/index.ts';

const [patienceMs, believedMs, retryAfterSeconds] = [1_000, 30_000, 60];

/** An older schema has no such view, and lacks nothing that it knows of. */
const noneWhereGone = (error: unknown): readonly { name: string }[] => {
  if (isTableMissing(error)) return [];
  throw error;
};

/**
 * What is lacking, as ClickHouse says. While it is slow or away, what it said a moment ago; where that is not known either, this
 * fails as the reading would: nobody could say whether the answer were a whole one.
 */
const lackingIn = (reader: ClickHouseReader): (() => Promise<readonly string[]>) => {
  let last: { readonly names: readonly string[]; readonly until: number } | undefined;
  const read = async () => {
    const names = (await reader.rows<{ name: string }>(incompleteTablesQuery).catch(noneWhereGone)).map(
      ({ name }) => name,
    );
    last = { names, until: performance.now() + believedMs };
    return names;
  };
  const recent = createSampler(read, { maxAgeMs: incompleteListMaxAgeMs, timeoutMs: patienceMs });
  return async () => (await recent()) ?? (last && performance.now() < last.until ? last.names : read());
};

/**
 * A reader that refuses to read what is newer than the live generation: it would find nothing from before an upgrade, and an
 * answer that lacks it would be a wrong one.
 */
export const exceptLacking = (reader: ClickHouseReader): ClickHouseReader => {
  const lacking = lackingIn(reader);
  const require = async ({ relations }: Sql): Promise<void> => {
    if ((await lacking()).some((name) => relations.has(name)))
      throw new ApiError('UNAVAILABLE', 'This is being built after an upgrade; try again later.', {
        retryAfterSeconds,
      });
  };
  return {
    ...reader,
    async lines(query, options) {
      await require(query);
      return reader.lines(query, options);
    },
    async rows<Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) {
      await require(query);
      return reader.rows<Row>(query, options);
    },
    async stream(query, format, options) {
      await require(query);
      return reader.stream(query, format, options);
    },
  };
};
