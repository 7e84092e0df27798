/**
 * Stand-in for EventStoreDB in the Compose test: the embedded node behind a proxy with TLS and logins. It takes the variables of
 * docker-compose.yml, and keeps the logins with the data.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { onProcessSignal } from '@popsvc/platform/runtime';
import { startLoginProxy } from '../event-store/login-proxy.fixture.ts';

const read = (variable: string): string => {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set`);
  return value;
};

const dataDir = '/var/lib/eventstore';
const loginsFile = join(dataDir, 'logins.json');
const writeLogins = (logins: Iterable<readonly [string, string]>): void => {
  writeFileSync(`${loginsFile}.new`, JSON.stringify([...logins]), { mode: 0o600, flush: true });
  renameSync(`${loginsFile}.new`, loginsFile);
};

// EventStoreDB reads these passwords at its first start only.
if (!existsSync(loginsFile))
  writeLogins([
    ['admin', read('EVENTSTORE_DEFAULT_ADMIN_PASSWORD')],
    ['ops', read('EVENTSTORE_DEFAULT_OPS_PASSWORD')],
  ]);
const logins = new Map(JSON.parse(readFileSync(loginsFile, 'utf8')) as readonly (readonly [string, string])[]);

const log = join(dataDir, 'log');
mkdirSync(log, { recursive: true });
const node = await startEventStoreNode({ dataDir: log, port: 0 });
const proxy = await startLoginProxy({
  nodePort: node.port,
  host: '0.0.0.0',
  port: 2113,
  key: readFileSync(read('EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE')),
  cert: readFileSync(read('EVENTSTORE_CERTIFICATE_FILE')),
  logins,
  onLoginCreated: () => writeLogins(logins),
});
onProcessSignal(['SIGTERM', 'SIGINT'], () => {
  void Promise.all([proxy.close(), node.close()]).then(() => process.exit(0));
});
process.stdout.write('ready\n');
