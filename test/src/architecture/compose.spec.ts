import { expect } from 'chai';
import { readers, variablesOf } from '@popsvc/tools/reference-pages';
import { compose, container, filled, monitors, services, stores } from './compose.fixture.ts';
import { files } from './tree.fixture.ts';

const variables = (service: string) => {
  const reader = readers.find(({ name }) => name === service);
  if (!reader) throw new Error(`nobody reads the environment of ${service}`);
  return variablesOf(reader);
};

/** [host address:]host port:container port */
const portOf = (published: string): string => published.split(':').at(-1) ?? '';

describe('docker-compose.yml', () => {
  it('has the stores, the services and who watches them, and nothing else', () => {
    expect(Object.keys(compose.services)).to.have.members([...stores, ...services, ...monitors]);
  });

  for (const service of services)
    it(`${service} is given every variable it reads, and none that it does not`, () => {
      const given = Object.keys(container(service).environment ?? {}).filter((name) => name !== 'TZ');
      expect(given).to.have.members(variables(service).map(({ name }) => name));
    });

  for (const [service, variable] of [
    ['command-api', 'COMMAND_API_PORT'],
    ['projectors', 'OPS_PORT'],
    ['query-api', 'QUERY_API_PORT'],
  ] as const)
    it(`${service} listens where it does by default, and says there when it is ready`, () => {
      const standard = variables(service).find(({ name }) => name === variable)?.standard;
      const { environment = {}, ports = [], healthcheck } = container(service);
      expect(environment[variable]).to.equal(standard);
      expect(ports.map(portOf)).to.deep.equal([standard]);
      expect(healthcheck?.test).to.deep.equal(['CMD', 'node', 'deploy/is-ready.mjs', standard]);
    });

  for (const [store, wanted] of [
    ['eventstore', /^eventstore\/eventstore:24\.10(\.\d+)?(-[a-z-]+)?$/],
    ['clickhouse', /^clickhouse\/clickhouse-server:26\.\d+(\.\d+)*$/],
    ['nats', /^nats:2\.(1[1-9]|[2-9]\d)(\.\d+)?(-[a-z0-9.]+)?$/],
    ['postgres', /^postgres:17(\.\d+)?(-[a-z]+)?$/],
  ] as const)
    it(`${store} has the version that is wanted`, () => {
      expect(container(store).image).to.match(wanted);
    });

  it('tells where the worker says that it is ready, to nobody outside', () => {
    const { environment = {}, ports, healthcheck } = container('worker');
    const standard = variables('worker').find(({ name }) => name === 'WORKER_PORT')?.standard;
    expect(environment['WORKER_PORT']).to.equal(standard);
    expect(ports).to.equal(undefined);
    expect(healthcheck?.test).to.deep.equal(['CMD', 'node', 'deploy/is-ready.mjs', standard]);
  });

  it('has no image without a tag, or with one that moves on', () => {
    const images = Object.values(compose.services).map(({ image }) => image);
    expect(images.filter((image) => !/:[0-9]/.test(image))).to.deep.equal([]);
  });

  it('asks every container for its health', () => {
    const silent = Object.entries(compose.services).filter(([, { healthcheck }]) => !healthcheck?.test.length);
    expect(silent.map(([name]) => name)).to.deep.equal([]);
  });

  it('starts nobody before those it needs are well', () => {
    for (const service of services)
      for (const [other, { condition }] of Object.entries(container(service).depends_on ?? {})) {
        expect(compose.services).to.have.property(other);
        expect(condition).to.equal('service_healthy');
      }
    const needs = (service: string) => Object.keys(container(service).depends_on ?? {});
    expect(needs('projectors')).to.have.members(['eventstore', 'clickhouse', 'postgres']);
    expect(needs('worker')).to.have.members(['eventstore', 'postgres']);
    expect(needs('command-api')).to.have.members(['eventstore', 'postgres']);
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
    it(`${store} keeps its data in a volume`, () => {
      const mounted = (container(store).volumes ?? []).find((volume) => volume.split(':')[1] === folder);
      expect(Object.keys(compose.volumes)).to.include(mounted?.split(':')[0]);
    });

  it('mounts files that are there', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const paths = mounts.filter((mount) => mount.startsWith('./')).map((mount) => mount.split(':')[0]!.slice(2));
    expect(paths).to.have.length(6);
    expect(paths.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))).to.deep.equal(
      [],
    );
  });

  it('runs NATS with JetStream', () => {
    expect(container('nats').command).to.include.members(['--jetstream', '--store_dir=/data']);
  });

  it('lets everybody reach NATS who is told where it is', () => {
    const told = Object.values(compose.services).filter(({ environment = {} }) => 'NATS_URL' in environment);
    expect(told).to.not.deep.equal([]);
    for (const { environment, networks } of told) {
      expect(new URL(filled(environment!['NATS_URL']!, { NATS_PASSWORD: 'p1' })).host).to.equal('nats:4222');
      expect(networks).to.include('bus');
    }
  });
});
