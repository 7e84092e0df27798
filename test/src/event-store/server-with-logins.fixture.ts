import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@popsvc/tools/rig';
import { startTestEventStore } from '../support/engines.ts';
import { isInstalled } from '../support/run-conditions.ts';
import { root } from '../architecture/tree.fixture.ts';
import { startLoginProxy } from './login-proxy.fixture.ts';

export const certificateProgram = 'openssl';
export const hasCertificates = isInstalled(certificateProgram);

/** Creates certificates with deploy/make-certificates.sh, as an operator does. */
const makeCertificates = async (): Promise<string> => {
  const folder = join(await temporaryFolder('certificates'), 'certificates');
  execFileSync('sh', [join(root, 'deploy/make-certificates.sh'), folder], { stdio: 'pipe' });
  return folder;
};

/** A server with TLS and logins: the embedded node behind a proxy that checks logins the way EventStoreDB does. */
export interface ServerWithLogins {
  /** The connection string for a login; without a login, calls are anonymous. */
  url(login?: string, parameters?: string): string;
  readonly administratorPassword: string;
  /** The passwords of all logins. */
  readonly logins: ReadonlyMap<string, string>;
  /** The contents of all events in `$settings`. */
  readSettings(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export const startServerWithLogins = async (): Promise<ServerWithLogins> => {
  const [certificates, node] = await Promise.all([makeCertificates(), startTestEventStore()]);
  const administratorPassword = 'an-administrator-password';
  const logins = new Map([['admin', administratorPassword]]);
  const { port, readSettings, close } = await startLoginProxy({
    nodePort: node.port,
    host: '127.0.0.1',
    port: 0,
    key: readFileSync(join(certificates, 'node.key')),
    cert: readFileSync(join(certificates, 'node.crt')),
    logins,
  });
  return {
    url(login, parameters = '') {
      const credentials = login === undefined ? '' : `${login}@`;
      const ca = encodeURIComponent(join(certificates, 'ca/ca.crt'));
      return `esdb://${credentials}localhost:${port}?tls=true&tlsCaFile=${ca}${parameters}`;
    },
    administratorPassword,
    logins,
    readSettings,
    async close() {
      await close();
      await node.stop();
    },
  };
};
