import type { ClickHouseClient } from '@clickhouse/client';
import type { TableLayout } from './tables.ts';

type Settings = Readonly<Record<string, string | number>>;

/** Projections rely on these values, whatever the defaults of the ClickHouse version are. */
const standardSettings: Settings = {
  async_insert: 0,
  wait_for_async_insert: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  optimize_on_insert: 1,
  join_use_nulls: 0,
  join_algorithm: 'hash',
  // With 0, joins run in the order of the statement. Without statistics, the server would choose a worse order.
  query_plan_optimize_join_order_limit: '0',
  max_insert_threads: '1',
  // 0 removes the limit. One batch may contain events from any month since 2000, and a rejected batch would stop the projection.
  max_partitions_per_insert_block: '0',
  // A mutation, such as ALTER TABLE … DELETE, returns only when the server has applied it.
  mutations_sync: '1',
};

/** Without a quorum, derived rows were wrong on all replicas after servers were killed (docs/decisions/0028-replicated-clickhouse.md). */
const replicatedSettings: Settings = {
  insert_quorum: 'auto',
  // Queries with `select_sequential_consistency` require inserts one after the other.
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 5_000,
  select_sequential_consistency: '1',
  // With the default, a statement waits for replicas that are down, and ClickHouse may respond with 200 and an error in the body.
  distributed_ddl_output_mode: 'none_only_active',
  // With 2, both settings would also wait for replicas that are down.
  mutations_sync: '1',
  alter_sync: '3',
};

export const writeSettings = ({ cluster }: TableLayout): Settings =>
  cluster === undefined ? standardSettings : { ...standardSettings, ...replicatedSettings };

export const lowPrioritySettings: Settings = {
  os_thread_priority: '10',
  // Statements yield to queries with priority 1 (deploy/clickhouse/users.xml), but only for up to 20 ms at a time.
  priority: '5',
  low_priority_query_wait_time_ms: '20',
};

export const assertWriteSettings = async (client: ClickHouseClient, layout: TableLayout): Promise<void> => {
  const expected = writeSettings(layout);
  const result = await client.query({
    query: 'SELECT name, value FROM system.settings WHERE name IN {names:Array(String)}',
    query_params: { names: Object.keys(expected) },
    clickhouse_settings: expected,
    format: 'JSONEachRow',
  });
  const actual = new Map(
    (await result.json<{ name: string; value: string }>()).map(({ name, value }) => [name, value]),
  );
  const wrong = Object.entries(expected).filter(([name, value]) => actual.get(name) !== String(value));
  if (wrong.length > 0)
    throw new Error(
      `ClickHouse does not accept the settings that projections rely on: ${wrong
        .map(([name, value]) => `${name} should be ${value}, is ${actual.get(name) ?? 'unknown'}`)
        .join('; ')}`,
    );
};
