import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@popsvc/platform/config';
import { expect } from 'chai';
import { passwordVariables, readers } from '@popsvc/tools/reference-pages';
import { compose, container, filled, holes, services, stores } from './compose.fixture.ts';
import { read, root } from './tree.fixture.ts';

const required = /^\$\{[A-Z_]+:\?[^}]+\}$/;
/** Uploaded files lie on disk, which takes no secret, as long as there is no other store for them. */
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

  it('holds none: each is required from outside', () => {
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

  it('are all made by deploy/make-env.sh, each its own, in a file for its owner alone', () => {
    const wanted = new Set(holes.filter((hole) => hole.required).map(({ name }) => name));
    expect(Object.keys(env)).to.have.members([...wanted]);
    expect(new Set(Object.values(env)).size).to.equal(wanted.size);
    for (const value of Object.values(env)) expect(value).to.match(/^[a-z][0-9a-f]{48}$/);
    expect(statSync(join(folder, '.env')).mode & 0o777).to.equal(0o600);
  });

  it('are never made anew over those the stores know', () => {
    expect(make).to.throw();
    expect(Object.fromEntries(entriesOf(readFileSync(join(folder, '.env'), 'utf8')))).to.deep.equal(env);
  });

  it('are told of in .env.example, with no value, beside what is optional', () => {
    const told = entriesOf(read('.env.example'));
    const names = new Set(holes.map(({ name }) => name).filter((name) => name !== 'TZ'));
    expect(told.map(([name]) => name)).to.have.members([...names]);
    const isRequired = (name: string) => holes.some((hole) => hole.name === name && hole.required);
    expect(told.filter(([name, value]) => isRequired(name) && value !== '')).to.deep.equal([]);
  });

  for (const service of services)
    it(`${service} starts with what the file gives it, and not without a secret`, () => {
      const { config } = readers.find(({ name }) => name === service)!;
      const given = (of: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(container(service).environment!).map(([name, text]) => [name, filled(text, of)]),
        );
      expect(() => readConfig(config, given(env))).to.not.throw();
      expect(() => given({})).to.throw('is not set');
    });

  it('open ClickHouse to the users of deploy/clickhouse/users.xml', () => {
    const users = read('deploy/clickhouse/users.xml');
    for (const variable of Object.values(passwordVariables)) {
      expect(users).to.include(`from_env="${variable}"`);
      expect(container('clickhouse').environment).to.have.property(variable);
    }
    const logins = services.map((service) => container(service).environment?.['CLICKHOUSE_USER']).filter(Boolean);
    for (const login of logins) expect(users).to.include(`<${login}>`);
  });

  it('EventStoreDB, which asks for none, and the operators are not reached from other machines', () => {
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
