import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@popsvc/platform/config';
import { describeHosts, parseConnectionString, usesTls } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { passwordVariables, configuredProcesses } from '@popsvc/tools/reference-pages';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { compose, container, jobs, substitute, placeholders, services, stores } from './compose.fixture.ts';
import { read, root } from './tree.fixture.ts';

const required = /^\$\{[A-Z_]+:\?[^}]+\}$/;
/**
 * Without S3 variables uploaded files are stored on disk, and without an OpenID provider operators sign in with accounts. Neither needs
 * a secret.
 */
const mayBeUnset = /^\$\{(?:S3|CONSOLE_OIDC)_[A-Z_]+:-\}$/;
const entriesOf = (text: string) =>
  [...text.matchAll(/^#?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);

/** The mounts of a container: paths of the host by paths of the container. */
const mountsOf = (name: string): ReadonlyMap<string, string> =>
  new Map((container(name).volumes ?? []).map((volume) => [volume.split(':')[1] ?? '', volume.split(':')[0] ?? '']));

/** Options of EventStoreDB 24.10 that the file sets. It refuses to start with a variable that is none of its options. */
const eventStoreOptions = [
  'EVENTSTORE_CLUSTER_SIZE',
  'EVENTSTORE_RUN_PROJECTIONS',
  'EVENTSTORE_TELEMETRY_OPTOUT',
  'EVENTSTORE_CERTIFICATE_FILE',
  'EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE',
  'EVENTSTORE_TRUSTED_ROOT_CERTIFICATES_PATH',
  'EVENTSTORE_DEFAULT_ADMIN_PASSWORD',
  'EVENTSTORE_DEFAULT_OPS_PASSWORD',
];

describeIfInstalled('openssl', isInstalled('openssl'), 'docker-compose.yml: secrets', () => {
  let folder: string;
  let env: Record<string, string>;
  const make = () => execFileSync('sh', [join(root, 'deploy/make-env.sh')], { cwd: folder, stdio: 'pipe' });

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'popsvc-env-'));
    make();
    env = Object.fromEntries(entriesOf(readFileSync(join(folder, '.env'), 'utf8')));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('requires every secret from the environment', () => {
    const secrets = Object.values(compose.services).flatMap(({ environment = {} }) =>
      Object.entries(environment).filter(([name]) => /PASS|TOKEN|SECRET|KEY/.test(name) && !name.endsWith('_FILE')),
    );
    expect(secrets).to.have.length.greaterThan(8);
    expect(secrets.filter(([, value]) => !required.test(value) && !mayBeUnset.test(value))).to.deep.equal([]);
    const addresses = Object.values(compose.services).flatMap(({ environment = {} }) =>
      Object.values(environment).flatMap((value) => /:\/\/[^:@/]+:([^@]+)@/.exec(value)?.[1] ?? []),
    );
    expect(addresses).to.have.length(9);
    expect(addresses.filter((password) => !required.test(password))).to.deep.equal([]);
    expect(container('nats').command?.filter((word) => word.startsWith('--pass='))).to.have.length(1);
    expect(
      required.test(
        container('nats')
          .command!.find((word) => word.startsWith('--pass='))!
          .slice(7),
      ),
    ).to.equal(true);
  });

  it('deploy/make-env.sh generates a different value for each secret, in a file only for its owner', () => {
    const names = new Set(placeholders.filter((placeholder) => placeholder.required).map(({ name }) => name));
    expect(Object.keys(env)).to.have.members([...names]);
    expect(new Set(Object.values(env)).size).to.equal(names.size);
    for (const value of Object.values(env)) expect(value).to.match(/^[a-z][0-9a-f]{48}$/);
    expect(statSync(join(folder, '.env')).mode & 0o777).to.equal(0o600);
  });

  it('deploy/make-env.sh does not overwrite existing secrets', () => {
    expect(make).to.throw();
    expect(Object.fromEntries(entriesOf(readFileSync(join(folder, '.env'), 'utf8')))).to.deep.equal(env);
  });

  it('.env.example lists all variables, and secrets without a value', () => {
    const entries = entriesOf(read('.env.example'));
    const names = new Set(placeholders.map(({ name }) => name).filter((name) => name !== 'TZ'));
    expect(entries.map(([name]) => name)).to.have.members([...names]);
    const isRequired = (name: string) =>
      placeholders.some((placeholder) => placeholder.name === name && placeholder.required);
    expect(entries.filter(([name, value]) => isRequired(name) && value !== '')).to.deep.equal([]);
  });

  for (const service of services)
    it(`${service} reads its configuration from the file, and fails without a secret`, () => {
      const { config } = configuredProcesses.find(({ name }) => name === service)!;
      const environmentWith = (of: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(container(service).environment!).map(([name, text]) => [
            name,
            substitute(text, of).replace('/certificates/', `${encodeURIComponent(join(folder, 'certificates/ca'))}/`),
          ]),
        );
      expect(() => readConfig(config, environmentWith(env))).to.not.throw();
      expect(() => environmentWith({})).to.throw('is not set');
    });

  it('ClickHouse receives the passwords of all users of deploy/clickhouse/users.xml', () => {
    const users = read('deploy/clickhouse/users.xml');
    for (const variable of Object.values(passwordVariables)) {
      expect(users).to.include(`from_env="${variable}"`);
      expect(container('clickhouse').environment).to.have.property(variable);
    }
    const logins = services.map((service) => container(service).environment?.['CLICKHOUSE_USER']).filter(Boolean);
    for (const login of logins) expect(users).to.include(`<${login}>`);
  });

  it('EventStoreDB has certificates and passwords, and no variable that it would refuse', () => {
    const { environment = {} } = container('eventstore');
    expect(Object.keys(environment)).to.have.members(eventStoreOptions);
    const sharing = Object.entries(compose.services).filter(([, { env_file }]) => env_file !== undefined);
    expect(sharing.map(([name]) => name)).to.deep.equal([]);
    const mounts = mountsOf('eventstore');
    for (const path of [
      environment['EVENTSTORE_CERTIFICATE_FILE']!,
      environment['EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE']!,
      environment['EVENTSTORE_TRUSTED_ROOT_CERTIFICATES_PATH']!,
    ])
      expect(existsSync(join(folder, mounts.get(path) ?? 'missing')), path).to.equal(true);
    expect(container('eventstore').healthcheck?.test.join(' ')).to.include('https://localhost:2113/health/live');
  });

  it('every user of EventStoreDB verifies its certificate, and has the login that the job creates', () => {
    const users = Object.entries(compose.services).filter(
      ([, { environment = {} }]) => 'EVENTSTORE_URL' in environment,
    );
    expect(users.map(([name]) => name)).to.have.members(['command-api', 'worker', 'projectors', ...jobs]);
    for (const [name, { environment, networks }] of users) {
      const connection = parseConnectionString(substitute(environment!['EVENTSTORE_URL']!, env));
      expect(describeHosts(connection), name).to.equal('eventstore:2113');
      expect(usesTls(connection), name).to.equal(true);
      expect(connection.login, name).to.deep.equal({ username: 'popsvc', password: env['POPSVC_EVENTSTORE_PASSWORD'] });
      const ca = connection.options.tlsCAFile!;
      const mounted = mountsOf(name).get(ca.slice(0, ca.lastIndexOf('/')));
      expect(existsSync(join(folder, mounted ?? 'missing', 'ca.crt')), name).to.equal(true);
      expect(networks).to.include('log');
    }
    const administrators = Object.entries(compose.services).filter(([, { environment = {} }]) =>
      Object.values(environment).some((value) => value.includes('ESDB_')),
    );
    expect(administrators.map(([name]) => name)).to.have.members(['eventstore', ...jobs]);
  });

  it('deploy/make-env.sh makes a certificate for the name of the container, in a folder only for its owner', () => {
    const certificates = join(folder, 'certificates');
    const read = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
    const node = join(certificates, 'node.crt');
    expect(read('verify', '-CAfile', join(certificates, 'ca/ca.crt'), node)).to.include('OK');
    const { subject, subjectAltName, keyUsage } = new X509Certificate(readFileSync(node));
    expect(subject).to.equal('CN=eventstoredb-node');
    expect(subjectAltName).to.equal('DNS:eventstore, DNS:localhost, IP Address:127.0.0.1');
    expect(keyUsage).to.have.members(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(statSync(certificates).mode & 0o777).to.equal(0o700);
    expect(readdirSync(certificates, { recursive: true })).to.have.members(['ca', 'ca/ca.crt', 'node.crt', 'node.key']);
  });

  it('other machines cannot reach EventStoreDB or the operations server', () => {
    for (const name of stores)
      expect(
        (container(name).ports ?? []).filter((port) => !port.startsWith('127.0.0.1:')),
        name,
      ).to.deep.equal([]);
    expect(container('eventstore').ports).to.equal(undefined);
    expect(container('eventstore').networks).to.deep.equal(['log']);
    expect(compose.networks['log']).to.deep.equal({ internal: true });
    expect(container('projectors').ports?.every((port) => port.startsWith('127.0.0.1:'))).to.equal(true);
  });
});
