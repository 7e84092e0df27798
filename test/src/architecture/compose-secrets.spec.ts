import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@popsvc/platform/config';
import { expect } from 'chai';
import { passwordVariables, configuredProcesses } from '@popsvc/tools/reference-pages';
import { compose, container, substitute, placeholders, services, stores } from './compose.fixture.ts';
import { read, root } from './tree.fixture.ts';

const required = /^\$\{[A-Z_]+:\?[^}]+\}$/;
/** Without S3 variables uploaded files are stored on disk, which needs no secret. */
const mayBeUnset = /^\$\{S3_[A-Z_]+:-\}$/;
const entriesOf = (text: string) =>
  [...text.matchAll(/^#?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);

describe('docker-compose.yml: secrets', () => {
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
      Object.entries(environment).filter(([name]) => /PASS|TOKEN|SECRET|KEY/.test(name)),
    );
    expect(secrets).to.have.length.greaterThan(8);
    expect(secrets.filter(([, value]) => !required.test(value) && !mayBeUnset.test(value))).to.deep.equal([]);
    const addresses = Object.values(compose.services).flatMap(({ environment = {} }) =>
      Object.values(environment).flatMap((value) => /:\/\/[^:@/]+:(.+)@/.exec(value)?.[1] ?? []),
    );
    expect(addresses).to.have.length(6);
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
          Object.entries(container(service).environment!).map(([name, text]) => [name, substitute(text, of)]),
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

  it('other machines cannot reach EventStoreDB, which needs no login, or the operations server', () => {
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
