/**
 * Tests the service on the servers that EVENTSTORE_URL, CLICKHOUSE_URL, DATABASE_URL and NATS_URL name; engines without a variable are
 * embedded. Use servers without other data: the event store keeps what the tests append.
 *
 *   node test/external.mjs               the conformance suite (if EVENTSTORE_URL is set), acceptance and 5 kill rounds
 *   node test/external.mjs --rounds N    with N kill rounds
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const variables = ['EVENTSTORE_URL', 'CLICKHOUSE_URL', 'DATABASE_URL', 'NATS_URL'];
const named = variables.filter((name) => process.env[name]);
const { values } = parseArgs({ options: { rounds: { type: 'string' } } });
if (named.length === 0) {
  process.stderr.write(`Set at least one of ${variables.join(', ')}.\n`);
  process.exit(2);
}

/** Runs the specs whose path contains the name; resolves with whether all passed. */
const run = (name, env) => {
  const script = join(import.meta.dirname, 'run.mjs');
  return spawnSync(process.execPath, [script, '--serial', name], { stdio: 'inherit', env }).status === 0;
};

// The specs of the conformance suite start no service, so they need only the address of the event store.
const conforms = !process.env['EVENTSTORE_URL'] || run('event-store/', process.env);
const env = { ...process.env, ...(values.rounds && { POPSVC_ROUNDS: values.rounds }) };
const accepted = run('e2e/named-engines.external', env);
process.exit(conforms && accepted ? 0 : 1);
