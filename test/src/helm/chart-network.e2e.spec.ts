import { expect } from 'chai';
import { componentOf, deploymentsOf, ofKind, render, values, valueSets } from './chart.fixture.ts';
import type { Manifest } from './kubernetes-schemas.fixture.ts';

const policiesOf = (manifests: readonly Manifest[]) => ofKind(manifests, 'NetworkPolicy');
type Rules = ReturnType<typeof policiesOf>[number]['spec']['egress'];

/** Describes who may be reached at which port: components by name, other peers as JSON, and `any`. */
const describeRules = (rules: Rules): readonly string[] =>
  (rules ?? []).flatMap(({ ports, from, to }) => {
    const peers = (from ?? to)?.map(
      (peer) => /"app.kubernetes.io\/component":"([^"]+)"/.exec(JSON.stringify(peer))?.[1] ?? JSON.stringify(peer),
    ) ?? ['any'];
    return peers.flatMap((peer) => ports.map(({ port }) => `${peer}:${port}`));
  });

const rulesOf = (manifests: readonly Manifest[], component: string) => {
  const policy = policiesOf(manifests).find((one) => componentOf(one) === component)!;
  expect(policy.spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
  return { ingress: describeRules(policy.spec.ingress), egress: describeRules(policy.spec.egress) };
};

describe('the Helm chart: NetworkPolicies', () => {
  it('deny everything but names to all pods by default', () => {
    const manifests = render();
    const standard = policiesOf(manifests).find(({ metadata }) => metadata.name.endsWith('-default'))!;
    expect(standard.spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(standard.spec.ingress).to.equal(undefined);
    expect(standard.spec.egress?.flatMap(({ ports }) => ports)).to.deep.equal([
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ]);
    for (const { spec } of deploymentsOf(manifests))
      expect(spec.template.metadata.labels).to.include(standard.spec.podSelector.matchLabels);
  });

  it('allow each component what it needs by default, and nothing else', () => {
    const manifests = render();
    expect(rulesOf(manifests, 'command-api')).to.deep.equal({
      ingress: ['any:8081'],
      egress: ['any:2113', 'any:5432', 'query-api:8080'],
    });
    expect(rulesOf(manifests, 'query-api')).to.deep.equal({ ingress: ['any:8080'], egress: ['any:8123', 'any:5432'] });
    expect(rulesOf(manifests, 'worker')).to.deep.equal({
      ingress: ['projectors:8083'],
      egress: ['any:2113', 'any:5432'],
    });
    const internal = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
    expect(rulesOf(manifests, 'projectors')).to.deep.equal({
      ingress: [],
      egress: [
        'any:2113',
        'any:8123',
        'any:5432',
        `${JSON.stringify({ ipBlock: { cidr: '0.0.0.0/0', except: internal } })}:443`,
        `${JSON.stringify({ ipBlock: { cidr: '2000::/3' } })}:443`,
        'query-api:8080',
        'command-api:8081',
        'worker:8083',
      ],
    });
  });

  it('allow what is switched on', () => {
    const manifests = render(...valueSets.get('everything switched on')!);
    const monitoring = '{"namespaceSelector":{}}';
    expect(rulesOf(manifests, 'command-api').egress).to.include.members(['any:443', 'any:4318']);
    expect(rulesOf(manifests, 'query-api').egress).to.include.members(['any:443', 'any:4318']);
    expect(rulesOf(manifests, 'worker')).to.deep.equal({
      ingress: ['projectors:8083', `${monitoring}:8083`],
      egress: ['any:2113', 'any:5432', 'any:443', 'any:4318'],
    });
    expect(rulesOf(manifests, 'projectors').ingress).to.deep.equal([
      '{"podSelector":{"matchLabels":{"a":"b"}}}:8082',
      `${monitoring}:8082`,
    ]);
    expect(rulesOf(manifests, 'projectors').egress).to.include.members(['any:4222', 'any:4318']);
  });

  it('limit callers to the peers of the values, the other components and the monitoring', () => {
    const manifests = render(...valueSets.get('values-public.yaml')!);
    const [controller, monitoring] = ['ingress-nginx', 'monitoring'].map((namespace) =>
      JSON.stringify({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }),
    );
    expect(rulesOf(manifests, 'command-api').ingress).to.deep.equal([
      `${controller}:8081`,
      'projectors:8081',
      `${monitoring}:8081`,
    ]);
    expect(rulesOf(manifests, 'query-api').ingress).to.deep.equal([
      `${controller}:8080`,
      'command-api:8080',
      'projectors:8080',
      `${monitoring}:8080`,
    ]);
    expect(rulesOf(manifests, 'projectors').ingress).to.deep.equal([`${monitoring}:8082`]);
  });

  it('limit engines and webhooks to the peers of the values', () => {
    const manifests = render(...valueSets.get('all examples together')!);
    const engines = rulesOf(manifests, 'projectors').egress.filter((rule) => rule.startsWith('{'));
    expect(engines.map((rule) => rule.slice(rule.lastIndexOf(':') + 1))).to.deep.equal([
      '2113',
      '8123',
      '5432',
      '4222',
      '443',
      '443',
    ]);
    expect(rulesOf(manifests, 'projectors').egress.filter((rule) => rule.startsWith('any'))).to.deep.equal([]);
  });

  it('are not rendered if they are switched off', () => {
    expect(policiesOf(render(values('networkPolicy: { enabled: false }')))).to.deep.equal([]);
  });

  it('every Service sends to the port of its component, and the operations server is reachable inside the cluster only', () => {
    const manifests = render(...valueSets.get('everything switched on')!);
    const services = ofKind(manifests, 'Service');
    const ports = services.map(({ metadata, spec }) => [metadata.name, spec.type, spec.ports[0]?.port]);
    expect(ports).to.have.deep.members([
      ['shop-popsvc-command-api', 'ClusterIP', 8081],
      ['shop-popsvc-query-api', 'ClusterIP', 8080],
      ['shop-popsvc-ops', 'ClusterIP', 8082],
      ['shop-popsvc-worker', 'ClusterIP', 8083],
    ]);
    const paths = ofKind(manifests, 'Ingress').flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths));
    const backends = paths.map(({ backend }) => backend.service.name);
    expect(new Set(backends)).to.deep.equal(new Set(['shop-popsvc-command-api', 'shop-popsvc-query-api']));
    expect(() => render(values('ops: { service: { type: LoadBalancer } }'))).to.throw(
      'ops.service: must NOT have additional',
    );
  });
});
