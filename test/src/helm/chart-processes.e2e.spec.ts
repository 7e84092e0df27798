import { readConfig } from '@popsvc/platform/config';
import { maxPartitions } from '@popsvc/domain/partitioning';
import { configuredProcesses, describeVariables } from '@popsvc/tools/reference-pages';
import { expect } from 'chai';
import { container as composeContainer, services } from '../architecture/compose.fixture.ts';
import { read } from '../architecture/tree.fixture.ts';
import {
  containerOf,
  deploymentOf,
  deploymentsOf,
  type EnvironmentVariable,
  render,
  values,
  valueSets,
} from './chart.fixture.ts';

/** Read by Node.js itself. */
const ofNode = ['NODE_EXTRA_CA_CERTS'];

const processOf = (name: string) => configuredProcesses.find((one) => one.name === name)!;

/** What a Secret could contain. */
const sampleSecrets: Readonly<Record<string, string>> = {
  EVENTSTORE_URL: 'esdb+discover://popsvc:p1@eventstore:2113?tls=true',
  DATABASE_URL: 'postgresql://popsvc:p1@postgres-rw:5432/popsvc',
  NATS_URL: 'nats://popsvc:p1@nats:4222',
};

const environmentOf = (variables: readonly EnvironmentVariable[]): Readonly<Record<string, string>> =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value ?? sampleSecrets[name] ?? 'x'.repeat(40)]));

const secretNames = (service: string): readonly string[] =>
  describeVariables(processOf(service)).flatMap(({ name, secret }) => (secret ? [name] : []));

describe('the Helm chart: processes', () => {
  it('has a Deployment of each image of the Dockerfile', () => {
    const components = deploymentsOf(render()).map(({ spec }) => spec.template.spec.containers[0].name);
    expect(components).to.have.members([...services]);
    for (const component of components) expect(read('Dockerfile')).to.include(`FROM runtime AS ${component}\n`);
  });

  for (const [title, files] of valueSets)
    for (const service of services)
      it(`${service} reads its configuration from the chart with ${title}`, () => {
        const { env } = containerOf(render(...files), service);
        const names = env.map(({ name }) => name);
        expect(new Set(names).size).to.equal(names.length);
        const known = describeVariables(processOf(service)).map(({ name }) => name);
        expect(names.filter((name) => !known.includes(name) && !ofNode.includes(name))).to.deep.equal([]);
        expect(() => readConfig(processOf(service).config, environmentOf(env))).to.not.throw();
      });

  for (const service of services) {
    it(`${service} receives no secret as text`, () => {
      for (const files of valueSets.values()) {
        const { env } = containerOf(render(...files), service);
        const secrets = env.filter(({ name }) => secretNames(service).includes(name) || name === 'NATS_URL');
        expect(secrets.map(({ name }) => name)).to.include.members(['DATABASE_URL', 'POPSVC_OPERATOR_TOKEN']);
        for (const { name, value, valueFrom } of secrets) {
          expect(value, name).to.equal(undefined);
          expect(valueFrom?.secretKeyRef, name).to.have.all.keys('name', 'key');
        }
      }
    });

    it(`${service} can receive every variable that compose passes, except those for one host`, () => {
      const names = containerOf(render(...valueSets.get('everything switched on')!), service).env.map(
        ({ name }) => name,
      );
      const volume = containerOf(render(), service).env.map(({ name }) => name);
      const passed = Object.keys(composeContainer(service).environment ?? {});
      const forOneHost = service === 'projectors' ? ['OPS_HOST', 'DATA_DIR'] : ['TZ', 'WORKER_HOST'];
      expect(passed.filter((name) => ![...names, ...volume, ...forOneHost].includes(name))).to.deep.equal([]);
    });

    it(`${service} listens on its port, and Kubernetes probes it there`, () => {
      const { env, ports, startupProbe, livenessProbe, readinessProbe } = containerOf(render(), service);
      const variable = {
        'command-api': 'COMMAND_API_PORT',
        worker: 'WORKER_PORT',
        projectors: 'OPS_PORT',
        'query-api': 'QUERY_API_PORT',
      }[service];
      const standard = describeVariables(processOf(service)).find(({ name }) => name === variable)?.defaultValue;
      expect(ports).to.deep.equal([{ name: 'http', containerPort: Number(standard), protocol: 'TCP' }]);
      expect(env.find(({ name }) => name === variable)?.value).to.equal(standard);
      expect(startupProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'http' });
      expect(livenessProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'http' });
      expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'http' });
    });

    it(`${service} runs without privileges, and writes only to volumes`, () => {
      const { spec } = deploymentOf(render(), service).spec.template;
      const [{ securityContext, resources, volumeMounts }] = spec.containers;
      expect(spec.automountServiceAccountToken).to.equal(false);
      expect(spec.securityContext).to.deep.include({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(composeContainer(service)).to.deep.include({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
      expect(resources.requests).to.have.all.keys('cpu', 'memory');
      expect(resources.limits).to.have.all.keys('memory');
      const usesDisk = service === 'command-api' || service === 'worker';
      expect(volumeMounts.map(({ mountPath }) => mountPath)).to.deep.equal(usesDisk ? ['/tmp', '/data'] : ['/tmp']);
      const volumes = spec.volumes.map(({ name }) => name);
      expect(volumeMounts.map(({ name }) => name)).to.deep.equal(volumes);
    });

    it(`${service} has more time to end than it takes`, () => {
      const { spec } = deploymentOf(render(), service).spec.template;
      const [, seconds] = spec.containers[0].lifecycle?.preStop.exec.command ?? [];
      const forcedExitMs = /^const forcedExitMs = ([\d_]+);$/m.exec(read('platform/src/runtime/process.ts'))?.[1];
      const ends = Number(seconds ?? 0) + Number(forcedExitMs?.replaceAll('_', '')) / 1000;
      expect(ends).to.be.greaterThanOrEqual(20);
      expect(spec.terminationGracePeriodSeconds).to.be.greaterThan(ends);
      const hasCallers = service === 'command-api' || service === 'query-api';
      expect(seconds !== undefined).to.equal(hasCallers);
    });
  }

  it('the longest preStop of the schema leaves time to end', () => {
    const longest = values('commandApi: { preStopSeconds: 15 }');
    const { spec } = deploymentOf(render(longest), 'command-api').spec.template;
    expect(spec.terminationGracePeriodSeconds).to.be.greaterThan(15 + 20);
    expect(() => render(values('commandApi: { preStopSeconds: 16 }'))).to.throw('preStopSeconds: must be <= 15');
  });

  it('a server can end without a delay', () => {
    const { lifecycle } = containerOf(render(values('queryApi: { preStopSeconds: 0 }')), 'query-api');
    expect(lifecycle).to.equal(undefined);
  });

  it('the projectors split projections into as many partitions as the values say', () => {
    const { env } = containerOf(render(values('projectors: { partitions: 7 }')), 'projectors');
    expect(env.find(({ name }) => name === 'PROJECTION_PARTITIONS')?.value).to.equal('7');
    expect(() => render(values(`projectors: { partitions: ${maxPartitions + 1} }`))).to.throw(
      `projectors.partitions: must be <= ${maxPartitions}`,
    );
  });

  it('a component can have a version of its own, for an upgrade in order', () => {
    const manifests = render(values('{ image: { tag: 2.0.0 }, commandApi: { imageTag: 1.0.0 } }'));
    expect(containerOf(manifests, 'command-api').image).to.equal('popsvc/command-api:1.0.0');
    expect(containerOf(manifests, 'worker').image).to.equal('popsvc/worker:2.0.0');
  });

  it('a large number is rendered with all digits', () => {
    const { env } = containerOf(render(), 'command-api');
    expect(env.find(({ name }) => name === 'MAX_UPLOAD_BYTES')?.value).to.equal('2147483648');
  });
});
