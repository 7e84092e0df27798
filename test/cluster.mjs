/**
 * Tests the service on a replicated ClickHouse that the environment names. The suite creates databases of its own and drops them.
 *
 *   CLICKHOUSE_URL       addresses of the replicas, separated by commas; those of several shards separated by semicolons. With
 *                        several shards, the tests of shards run, which need two replicas of each to kill one
 *   CLICKHOUSE_CLUSTER   their cluster
 *   CLICKHOUSE_USER, CLICKHOUSE_PASSWORD
 *   CLUSTER_ANALYST_PASSWORD   password of the login `analyst` on all servers, with GRANT SELECT ON analysts_popsvc_cluster_*.*
 *                        (not in backticks, in which the star is part of a name). Without it, the test of analysts' queries over
 *                        several shards is skipped
 *   CLUSTER_STOP, CLUSTER_START   shell commands that kill and start a server: {node} is replaced by the number of a replica, from 1,
 *                        or by CLUSTER_KEEPER (default `keeper`). Without them, the tests that kill servers are skipped
 *   CLUSTER_SHUTDOWN     command that stops a replica gracefully, for the rolling restart; default CLUSTER_STOP
 *   CLUSTER_DATA         data folder of a replica (`path` of its configuration), with {node}, as this machine sees it. Without it, the
 *                        tests that damage files are skipped
 *   CLUSTER_WIPE         command that removes all data of a stopped replica, with {node}. Only for servers without other data. Without
 *                        it, the tests of an empty and of a lost replica are skipped
 *   PROJECTION_PARTITIONS   partitions of the service's projections; default 1. The suite of partitions uses 4
 *   CLUSTER_LOG          file to which the log of the service is written
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const required = ['CLICKHOUSE_URL', 'CLICKHOUSE_CLUSTER', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD'];
const missing = required.filter((name) => !process.env[name]);
if (missing.length > 0) {
  process.stdout.write(`Suites that could not run:\n  ClickHouse cluster: ${missing.join(', ')} not set\n`);
  process.stdout.write('0 passed, 0 failed, 1 skipped\n');
  process.exit(0);
}
const script = join(import.meta.dirname, 'run.mjs');
const suites = process.env.CLICKHOUSE_URL.includes(';')
  ? ['cluster/shards.external']
  : ['clickhouse', 'partitions', 'replica-faults', 'lost-replica'].map((suite) => `cluster/${suite}.external`);
const { status } = spawnSync(process.execPath, [script, '--serial', ...suites], { stdio: 'inherit' });
process.exit(status ?? 1);
