/** The query that keeps the engine running. Ending it ends the engine, with everything flushed. */
export const BOOT_QUERY_ID = 'boot-main';

/** Sleeps for thirty years in steps of a second; needs no right to any table or file. */
const bootQueries = [
  'SYSTEM START LISTEN HTTP',
  `SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1))
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0`,
];

/** The boot user's quota is exactly this: one more, and any client on this machine could close the listener. */
export const BOOT_QUERIES = bootQueries.length;

/** The command line of `clickhouse local`, as the library takes it. */
export const bootArguments = (configFile: string, port: number): readonly string[] => [
  'clickhouse',
  '--config-file',
  configFile,
  '--http_port',
  String(port),
  '--listen_host',
  '127.0.0.1',
  '--log-level',
  'warning',
  '--query_id',
  BOOT_QUERY_ID,
  '--query',
  bootQueries.join('; '),
];
