import type { ClickHouseClient } from '@clickhouse/client';

/** What every write relies on; defaults moved between versions, so nothing is left to them (exactly-once.md 1.8). */
export const writeSettings = {
  async_insert: 0,
  wait_for_async_insert: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  optimize_on_insert: 1,
  allow_nonconst_timezone_arguments: 1,
  join_use_nulls: 0,
  join_algorithm: 'hash',
  // Joins are written in the order in which they narrow; without figures of temporary tables the server orders them for the worse.
  query_plan_optimize_join_order_limit: '0',
  max_insert_threads: '1',
  // Plays and heartbeats of any month since 2000 may come in one batch; a refusal would stop the projection for everyone.
  max_partitions_per_insert_block: '0',
} as const;

/** For work that nobody waits for: one core at most, and that one only while nobody else wants it. */
export const gentleSettings = {
  max_threads: 1,
  os_thread_priority: '10',
  // Behind what has priority 1 (deploy/clickhouse/users.xml): a moment at a time, so that it never stands still.
  priority: '5',
  low_priority_query_wait_time_ms: '20',
} as const;

/** Throws, naming the setting, when the server does not hold what a write asks for. */
export const assertWriteSettings = async (client: ClickHouseClient): Promise<void> => {
  const names = Object.keys(writeSettings);
  const result = await client.query({
    query: 'SELECT name, value FROM system.settings WHERE name IN {names:Array(String)}',
    query_params: { names },
    clickhouse_settings: writeSettings,
    format: 'JSONEachRow',
  });
  const held = new Map((await result.json<{ name: string; value: string }>()).map(({ name, value }) => [name, value]));
  const wrong = Object.entries(writeSettings).filter(([name, value]) => held.get(name) !== String(value));
  if (wrong.length > 0)
    throw new Error(
      `ClickHouse does not hold the settings projections rely on: ${wrong
        .map(([name, value]) => `${name} should be ${value}, is ${held.get(name) ?? 'unknown'}`)
        .join('; ')}`,
    );
};
