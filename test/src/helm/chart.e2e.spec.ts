import { join } from 'node:path';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { renderChart } from '@popsvc/tools/helm';
import { expect } from 'chai';
import { read } from '../architecture/tree.fixture.ts';
import {
  chart,
  componentOf,
  containerOf,
  deploymentOf,
  deploymentsOf,
  exampleFiles,
  type Labels,
  ofKind,
  parseManifests,
  render,
  values,
  valueSets,
} from './chart.fixture.ts';
import { findSchemaErrors, type Manifest } from './kubernetes-schemas.fixture.ts';

const exampleFolder = 'deploy/helm/popsvc/examples';

describe('the Helm chart', () => {
  it('has the version of the release, and so have its images', () => {
    expect([chart.version, chart.appVersion]).to.deep.equal([popsvcVersion, popsvcVersion]);
    const images = deploymentsOf(render()).map(({ spec }) => spec.template.spec.containers[0].image);
    expect(images).to.have.members(
      ['command-api', 'query-api', 'worker', 'projectors'].map((name) => `popsvc/${name}:${popsvcVersion}`),
    );
  });

  for (const [name, files] of valueSets)
    it(`renders objects that Kubernetes accepts with ${name}`, function () {
      const manifests = render(...files);
      expect(manifests).to.have.length.greaterThan(15);
      expect(manifests.flatMap(findSchemaErrors)).to.deep.equal([]);
      const ids = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(new Set(ids).size).to.equal(ids.length);
    });

  describe('the check against the schemas of Kubernetes refuses', () => {
    const deployment = deploymentOf(render(), 'command-api');
    /** Changes of the text of the Deployment in JSON. */
    const mutations: Readonly<Record<string, readonly [before: string, after: string, error: string]>> = {
      'an unknown field of a container': [
        '"readinessProbe":',
        '"readyProbe":',
        'must NOT have additional properties {"additionalProperty":"readyProbe"}',
      ],
      'a missing field': ['"selector":{', '"template":{', "must have required property 'selector'"],
      'text instead of a number': ['"replicas":2', '"replicas":"2"', '/spec/replicas: must be number'],
      'a number instead of text': ['"labels":{', '"labels":{"a":1,', '/metadata/labels/a: must be string'],
      'a value that is not in an enum': [
        '"IfNotPresent"',
        '"Sometimes"',
        'imagePullPolicy: must be equal to one of the allowed values',
      ],
      'a kind without a schema': ['"Deployment"', '"DeploymentConfig"', 'apps/v1/DeploymentConfig has no schema'],
    };
    for (const [name, [before, after, error]] of Object.entries(mutations))
      it(name, function () {
        expect(findSchemaErrors(deployment)).to.deep.equal([]);
        const changed = JSON.parse(JSON.stringify(deployment).replace(before, after)) as Manifest;
        expect(findSchemaErrors(changed).join('\n')).to.include(error);
      });
  });

  describe('refuses values', () => {
    for (const [title, text, error] of [
      ['with an unknown name', 'commandApi: { replica: 3 }', 'commandApi: must NOT have additional properties'],
      ['of a wrong type', 'commandApi: { replicas: "3" }', 'commandApi.replicas: must be integer'],
      [
        'with a secret instead of a reference',
        'secrets: { operatorToken: abc }',
        'secrets.operatorToken must be a map',
      ],
      ['without partitions', 'projectors: { partitions: 0 }', 'projectors.partitions: must be >= 1'],
      [
        'with an empty peer, which would allow everything',
        'ops: { from: [{}] }',
        'ops.from.0: must NOT have fewer than 1',
      ],
      [
        'with S3 but no bucket',
        'uploads: { store: s3, s3: { endpoint: "https://s3" } }',
        'uploads.s3.bucket is required',
      ],
      ['with an Ingress but no host', 'ingress: { enabled: true }', 'needs ingress.ingestHost or ingress.reportsHost'],
      [
        'that allow no time to end',
        'terminationGracePeriodSeconds: 10',
        'terminationGracePeriodSeconds: must be >= 21',
      ],
    ] as const)
      it(title, () => expect(() => render(values(text))).to.throw(error));
  });

  it('selects the pods of a component by its Deployments, Services and budgets', () => {
    for (const files of valueSets.values()) {
      const manifests = render(...files);
      const labelsOfPods = deploymentsOf(manifests).map(({ spec }) => spec.template.metadata.labels);
      const selected = (selector: Labels) =>
        labelsOfPods.filter((labels) => Object.entries(selector).every(([name, value]) => labels[name] === value));
      for (const service of ofKind(manifests, 'Service')) {
        const component = componentOf(service);
        const components = selected(service.spec.selector).map((labels) => labels['app.kubernetes.io/component']);
        expect([...new Set(components)], service.metadata.name).to.deep.equal([component]);
        const [{ containerPort } = { containerPort: 0 }] = containerOf(manifests, component).ports;
        expect(service.spec.ports.map(({ port }) => port)).to.deep.equal([containerPort]);
        const suffix = component === 'projectors' ? 'ops' : component;
        expect(service.metadata.name).to.equal(`shop-popsvc-${suffix}`);
      }
      for (const { kind, metadata, spec } of [...deploymentsOf(manifests), ...ofKind(manifests, 'PodDisruptionBudget')])
        expect(selected(spec.selector.matchLabels), `${kind} ${metadata.name}`).to.have.length(1);
    }
  });

  it('scales by CPU and by lag only where the values say so, without a number of replicas then', () => {
    const scalersOf = (manifests: readonly Manifest[]) => ofKind(manifests, 'HorizontalPodAutoscaler');
    expect(scalersOf(render())).to.deep.equal([]);
    const scaled = render(...valueSets.get('everything switched on')!);
    const scalers = scalersOf(scaled);
    expect(scalers.map(componentOf)).to.have.members(['command-api', 'query-api', 'projectors']);
    for (const { spec } of scalers) {
      const target = deploymentsOf(scaled).find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
      expect(target).to.not.equal(undefined);
      expect(target?.spec.replicas).to.equal(undefined);
    }
    const metrics = scalers.flatMap(({ spec }) => spec.metrics).flatMap(({ external }) => external?.metric.name ?? []);
    expect(metrics).to.have.length(1);
    expect(read('docs/reference/metrics.md')).to.include(`| \`${metrics[0]}\` | gauge | \`projection\``);
  });

  it('keeps the label `service` of the metrics, which the alerts select', () => {
    const [monitor, ...others] = ofKind(render(...valueSets.get('everything switched on')!), 'ServiceMonitor');
    expect(others).to.deep.equal([]);
    expect(monitor!.spec.endpoints.map(({ honorLabels }) => honorLabels)).to.deep.equal([true]);
  });

  it('renders its name into every object, or the name of the values', () => {
    const names = (text: string) => render(values(text)).map(({ metadata }) => metadata.name);
    expect(names('{}').filter((name) => !name.startsWith('shop-popsvc'))).to.deep.equal([]);
    expect(names('fullnameOverride: reports').filter((name) => !name.startsWith('reports'))).to.deep.equal([]);
  });

  it('prints notes that name its Service and its Secret', () => {
    const { notes } = renderChart(chart, { name: 'popsvc', namespace: 'ads' });
    expect(notes).to.include('kubectl --namespace ads port-forward service/popsvc-ops 8082');
    expect(notes).to.include(`'{{index .data "POPSVC_OPERATOR_TOKEN" | base64decode}}'`);
    expect(notes).to.include('uploads.publicUrl is not set');
  });

  it('has examples of engines that Kubernetes accepts, as far as it defines their kinds', function () {
    const manifests = exampleFiles
      .filter((name) => !name.includes('values'))
      .flatMap((name) => parseManifests(read(join(exampleFolder, name))));
    const foreign = manifests.filter(({ apiVersion }) => /altinity|cnpg/.test(apiVersion));
    expect(foreign.map(({ kind }) => kind).sort()).to.deep.equal([
      'ClickHouseInstallation',
      'ClickHouseInstallation',
      'ClickHouseKeeperInstallation',
      'Cluster',
    ]);
    expect(manifests.filter((one) => !foreign.includes(one)).flatMap(findSchemaErrors)).to.deep.equal([]);
  });
});
