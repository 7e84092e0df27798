/**
 * Stand-in for the ClickHouse server in the Compose test: the engine of `chdb` with the users of deploy/clickhouse/users.xml, which
 * docker-compose.yml mounts.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { exitWithoutCleanup } from '@popsvc/embedded/clickhouse';
import { onProcessSignal } from '@popsvc/platform/runtime';

const dir = '/var/lib/clickhouse';
const [dataDir, temporaryDir, configFile, usersFile] = ['data', 'tmp', 'config.xml', 'users.xml'].map((name) =>
  join(dir, name),
) as [string, string, string, string];
mkdirSync(temporaryDir, { recursive: true });
// The engine keeps the database `system` in memory and does not start if it finds files of it.
rmSync(join(dataDir, 'data/system'), { recursive: true, force: true });

// A server merges the file into its own users, of whom the library needs `default` and its profile to run the boot queries.
const users = readFileSync('/etc/clickhouse-server/users.d/popsvc.xml', 'utf8')
  .replace('<profiles>', '<profiles><default/>')
  .replace('<quotas>', '<quotas><default/>')
  .replace(
    '<default remove="remove"/>',
    '<default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>',
  );
writeFileSync(usersFile, users);
writeFileSync(
  configFile,
  `<clickhouse>
    <path>${dataDir}/</path>
    <tmp_path>${temporaryDir}/</tmp_path>
    <users_config>${usersFile}</users_config>
    <user_directories><users_xml><path>${usersFile}</path></users_xml></user_directories>
    <max_server_memory_usage>2000000000</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>16</background_schedule_pool_size>
    <http_handlers>
      <rule><url>/ping</url><methods>GET,HEAD</methods><handler><type>ping</type></handler></rule>
      <rule><handler><type>dynamic_query_handler</type><query_param_name>query</query_param_name></handler></rule>
    </http_handlers>
    <logger><log>/var/log/clickhouse-server/clickhouse.log</log><size>10M</size><count>2</count></logger>
  </clickhouse>`,
);

const port = 8123;
const bootQueryId = 'boot';
const bootQueries = [
  'SYSTEM START LISTEN HTTP',
  `SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1))
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0`,
];
const args = [
  ...['clickhouse', '--config-file', configFile, '--http_port', String(port), '--listen_host', '0.0.0.0'],
  ...['--log-level', 'warning', '--query_id', bootQueryId, '--query', bootQueries.join('; ')],
];
const engineThread = new URL('./engine-thread.js', import.meta.resolve('@popsvc/embedded/clickhouse'));
const worker = new Worker(fileURLToPath(engineThread), { workerData: args, resourceLimits: { stackSizeMb: 16 } });
let isStopping = false;
worker.once('message', (error: string) => {
  if (!isStopping) process.stderr.write(`${error}\n`);
  exitWithoutCleanup(isStopping ? 0 : 1);
});

// The engine stops when its boot query ends, which the writer may cancel.
onProcessSignal(['SIGTERM', 'SIGINT'], () => {
  isStopping = true;
  void fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: {
      'X-ClickHouse-User': 'popsvc_writer',
      'X-ClickHouse-Key': process.env['CLICKHOUSE_WRITER_PASSWORD'] ?? '',
      connection: 'close',
    },
    body: `KILL QUERY WHERE query_id = '${bootQueryId}' ASYNC`,
  });
});
