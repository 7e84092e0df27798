import { listShards, type Shard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  describeShard,
  quoteIdentifier,
  quoteString,
  shardsDatabase,
} from '@popsvc/platform/clickhouse';
import { progressView } from '../declarations/progress.table.ts';
import { verifiedRuns } from '../declarations/verified-runs.ts';
import { damagedRangesView, pendingView } from '../pending/pending.table.ts';
import type { Generation } from './generations.ts';

export const hasShardViews = ({ cluster, shard }: Pick<ClickHouseWriter, 'cluster' | 'shard'>): boolean =>
  cluster !== undefined && shard.of > 1;

interface ShownRelation {
  /** Database of the table or view in each shard. */
  readonly from: string;
  /** Database of the table that shows the rows of all shards. */
  readonly to: string;
  readonly relation: string;
  readonly about?: string;
}

/** Has no sharding key: with one, ClickHouse could leave out shards, depending on their order and weights in `remote_servers`. */
export const showAllShards = (
  { cluster = '', shard }: Pick<ClickHouseWriter, 'cluster' | 'shard'>,
  { from, to, relation, about = `Rows of all ${shard.of} shards.` }: ShownRelation,
): string => {
  const source = [cluster, from, relation].map(quoteString);
  return (
    `CREATE OR REPLACE TABLE ${to}.${quoteIdentifier(relation)} AS ${from}.${quoteIdentifier(relation)} ` +
    `ENGINE = Distributed(${source.join(', ')}) COMMENT ${quoteString(about)}`
  );
};

const showOwnRows = ({ from, to, relation }: ShownRelation): string =>
  `CREATE OR REPLACE VIEW ${to}.${quoteIdentifier(relation)} AS SELECT * FROM ${from}.${quoteIdentifier(relation)}`;

/** In the database of a shard, a view with one row. In the database of all shards, the `Distributed` table over these views. */
const shardRuns = 'shard_runs';

export const createShardRuns = ({ database, shard }: Pick<ClickHouseWriter, 'database' | 'shard'>): string =>
  `CREATE OR REPLACE VIEW ${database}.${shardRuns} AS
   SELECT ${quoteString(describeShard(shard))} AS shard, count() > 0 AS is_verified, min(verified_at) AS first_at
   FROM ${database}.${verifiedRuns}`;

/** Empty until all shards are verified and `remote_servers` lists each exactly once: queries could lack rows or return them twice. */
export const showVerifiedRuns = ({ of }: Shard, to: string): string => {
  const expected = listShards(of).map((shard) => quoteString(describeShard(shard)));
  return `CREATE OR REPLACE VIEW ${to}.${verifiedRuns} AS SELECT min(first_at) AS verified_at FROM ${to}.${shardRuns}
    HAVING countIf(is_verified) = ${of} AND arraySort(groupArray(shard)) = arraySort([${expected.join(', ')}])`;
};

/** In the order of `remote_servers`. Throws if a shard does not respond. */
export const readRemoteShards = async (server: ClickHouseWriter): Promise<readonly string[]> => {
  const rows = await server.rows<{ number: number; shard: string }>(
    `SELECT toFloat64(_shard_num) AS number, shard FROM ${shardsDatabase(server.database)}.${shardRuns} ORDER BY number`,
    { timeoutMs: 3_000 },
  );
  return rows.map(({ shard }) => shard);
};

export const areAllShards = (listed: readonly string[], { of }: Shard): boolean => {
  const expected = listShards(of).map(describeShard);
  return listed.length === expected.length && expected.every((shard) => listed.includes(shard));
};

export const createShardViews = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  if (!hasShardViews(writer)) return;
  const { database } = writer;
  const [from, to] = [database, shardsDatabase(database)];
  await writer.createDatabase(to);
  const ofProjections = live.flatMap(({ projection: { tables, views = [], isSplit } }) =>
    [...tables, ...views].map(({ name }) => {
      const relation = `${name}_live`;
      return isSplit ? showAllShards(writer, { from, to, relation }) : showOwnRows({ from, to, relation });
    }),
  );
  const ofShards = [progressView, pendingView, damagedRangesView, { name: 'incomplete' }].map(({ name }) =>
    showAllShards(writer, { from, to, relation: `${name}_live` }),
  );
  const statements = [
    createShardRuns(writer),
    showAllShards(writer, { from, to, relation: shardRuns }),
    ...ofProjections,
    ...ofShards,
    showVerifiedRuns(writer.shard, to),
  ];
  for (const statement of statements) await writer.run(statement);
};
