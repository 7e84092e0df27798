import { expect } from 'chai';
import { configuredProcesses, describeVariables } from '@popsvc/tools/reference-pages';
import { compose, container, jobs, substitute, monitors, services, stores } from './compose.fixture.ts';
import { files } from './tree.fixture.ts';

const variables = (service: string) => {
  const reader = configuredProcesses.find(({ name }) => name === service);
  if (!reader) throw new Error(`no reader declares the environment of ${service}`);
  return describeVariables(reader);
};

/** [host address:]host port:container port */
const portOf = (published: string): string => published.split(':').at(-1) ?? '';

describe('docker-compose.yml', () => {
  it('contains exactly the stores, the services, their jobs and the monitoring', () => {
    expect(Object.keys(compose.services)).to.have.members([...stores, ...services, ...jobs, ...monitors]);
  });

  for (const service of services)
    it(`${service} receives exactly the variables that it reads`, () => {
      const names = Object.keys(container(service).environment ?? {}).filter((name) => name !== 'TZ');
      expect(names).to.have.members(variables(service).map(({ name }) => name));
    });

  for (const [service, variable] of [
    ['command-api', 'COMMAND_API_PORT'],
    ['projectors', 'OPS_PORT'],
    ['query-api', 'QUERY_API_PORT'],
  ] as const)
    it(`${service} listens and reports its readiness on the default port`, () => {
      const defaultValue = variables(service).find(({ name }) => name === variable)?.defaultValue;
      const { environment = {}, ports = [], healthcheck } = container(service);
      expect(environment[variable]).to.equal(defaultValue);
      expect(ports.map(portOf)).to.deep.equal([defaultValue]);
      expect(healthcheck?.test).to.deep.equal(['CMD', 'node', 'deploy/is-ready.mjs', defaultValue]);
    });

  for (const [store, version] of [
    ['eventstore', /^eventstore\/eventstore:24\.10(\.\d+)?(-[a-z-]+)?$/],
    ['clickhouse', /^clickhouse\/clickhouse-server:26\.\d+(\.\d+)*$/],
    ['nats', /^nats:2\.(1[1-9]|[2-9]\d)(\.\d+)?(-[a-z0-9.]+)?$/],
    ['postgres', /^postgres:17(\.\d+)?(-[a-z]+)?$/],
  ] as const)
    it(`${store} has a supported version`, () => {
      expect(container(store).image).to.match(version);
    });

  it('the worker reports its readiness only inside the network', () => {
    const { environment = {}, ports, healthcheck } = container('worker');
    const defaultValue = variables('worker').find(({ name }) => name === 'WORKER_PORT')?.defaultValue;
    expect(environment['WORKER_PORT']).to.equal(defaultValue);
    expect(ports).to.equal(undefined);
    expect(healthcheck?.test).to.deep.equal(['CMD', 'node', 'deploy/is-ready.mjs', defaultValue]);
  });

  it('every image has a version as its tag', () => {
    const images = Object.values(compose.services).map(({ image }) => image);
    expect(images.filter((image) => !/:[0-9]/.test(image))).to.deep.equal([]);
  });

  it('every container that stays has a health check', () => {
    const unchecked = Object.entries(compose.services).filter(([, { healthcheck }]) => !healthcheck?.test.length);
    expect(unchecked.map(([name]) => name)).to.deep.equal([...jobs]);
  });

  it('services start after the services that they need are healthy', () => {
    for (const service of services)
      for (const [other, { condition }] of Object.entries(container(service).depends_on ?? {})) {
        expect(compose.services).to.have.property(other);
        const isJob = jobs.some((job) => job === other);
        expect(condition).to.equal(isJob ? 'service_completed_successfully' : 'service_healthy');
      }
    const needs = (service: string) => Object.keys(container(service).depends_on ?? {});
    expect(needs('projectors')).to.have.members(['eventstore', 'eventstore-login', 'clickhouse', 'postgres']);
    expect(needs('worker')).to.have.members(['eventstore', 'eventstore-login', 'postgres']);
    expect(needs('command-api')).to.have.members(['eventstore', 'eventstore-login', 'postgres']);
    expect(needs('query-api')).to.have.members(['clickhouse', 'postgres', 'projectors']);
  });

  for (const [store, folder] of [
    ['eventstore', '/var/lib/eventstore'],
    ['clickhouse', '/var/lib/clickhouse'],
    ['nats', '/data'],
    ['postgres', '/var/lib/postgresql/data'],
    ['prometheus', '/prometheus'],
    ['grafana', '/var/lib/grafana'],
  ] as const)
    it(`${store} stores its data in a volume`, () => {
      const mounted = (container(store).volumes ?? []).find((volume) => volume.split(':')[1] === folder);
      expect(Object.keys(compose.volumes)).to.include(mounted?.split(':')[0]);
    });

  it('mounts existing files', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const paths = mounts.filter((mount) => mount.startsWith('./')).map((mount) => mount.split(':')[0]!.slice(2));
    // compose-secrets.spec.ts tests the files that deploy/make-env.sh makes.
    const ofRepository = paths.filter((path) => !path.startsWith('certificates/'));
    expect(ofRepository).to.have.length(6);
    expect(
      ofRepository.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`))),
    ).to.deep.equal([]);
  });

  it('runs NATS with JetStream', () => {
    expect(container('nats').command).to.include.members(['--jetstream', '--store_dir=/data']);
  });

  it('a service shares a network only with the engines that its variables name', () => {
    const variables = {
      eventstore: 'EVENTSTORE_URL',
      clickhouse: 'CLICKHOUSE_URL',
      nats: 'NATS_URL',
      postgres: 'DATABASE_URL',
    };
    for (const service of services) {
      const { environment = {}, networks = [] } = container(service);
      const reached = stores.filter((store) =>
        container(store).networks!.some((network) => networks.includes(network)),
      );
      expect(reached, service).to.deep.equal(stores.filter((store) => variables[store] in environment));
    }
  });

  it('services with NATS_URL are in the network of NATS', () => {
    const users = Object.values(compose.services).filter(({ environment = {} }) => 'NATS_URL' in environment);
    expect(users).to.not.deep.equal([]);
    for (const { environment, networks } of users) {
      expect(new URL(substitute(environment!['NATS_URL']!, { NATS_PASSWORD: 'p1' })).host).to.equal('nats:4222');
      expect(networks).to.include('bus');
    }
  });
});
