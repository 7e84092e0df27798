import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Chart, loadChart, parseYaml, readValues, renderChart, type ValueMap } from '@popsvc/tools/helm';
import { parseAllDocuments } from 'yaml';
import { root } from '../architecture/tree.fixture.ts';
import type { Manifest } from './kubernetes-schemas.fixture.ts';

const chartFolder = join(root, 'deploy/helm/popsvc');
export const chart: Chart = loadChart(chartFolder);

export type Labels = Readonly<Record<string, string>>;

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly env: readonly EnvironmentVariable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly [PodContainer];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

/** Objects in YAML documents, read with the rules of YAML 1.1 as by Kubernetes. Throws on invalid YAML. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return (document.toJS() as Manifest | null) ?? [];
  });

/** Renders the chart with files of values as the release `shop` in the namespace `ads`. */
export const render = (...files: readonly ValueMap[]): readonly Manifest[] =>
  renderChart(chart, { name: 'shop', namespace: 'ads' }, files).manifests.flatMap(({ text }) => parseManifests(text));

export const deploymentsOf = (manifests: readonly Manifest[]): readonly Deployment[] =>
  manifests.filter((manifest): manifest is Deployment => manifest.kind === 'Deployment');

interface PeerRule {
  readonly ports: readonly { readonly protocol: string; readonly port: number }[];
  readonly from?: readonly object[];
  readonly to?: readonly object[];
}

/** The parts of `spec` that the tests read, by kind. */
interface Specs {
  readonly HorizontalPodAutoscaler: {
    readonly scaleTargetRef: { readonly name: string };
    readonly metrics: readonly { readonly external?: { readonly metric: { readonly name: string } } }[];
  };
  readonly Ingress: {
    readonly rules: readonly {
      readonly http: {
        readonly paths: readonly { readonly backend: { readonly service: { readonly name: string } } }[];
      };
    }[];
  };
  readonly NetworkPolicy: {
    readonly podSelector: { readonly matchLabels: Labels };
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly PeerRule[] | null;
    readonly egress?: readonly PeerRule[] | null;
  };
  readonly PodDisruptionBudget: { readonly selector: { readonly matchLabels: Labels } };
  readonly Service: {
    readonly type: string;
    readonly selector: Labels;
    readonly ports: readonly { readonly port: number }[];
  };
  readonly ServiceMonitor: { readonly endpoints: readonly { readonly honorLabels: boolean }[] };
}

/** The objects of a kind. */
export const ofKind = <Kind extends keyof Specs>(
  manifests: readonly Manifest[],
  kind: Kind,
): readonly (Manifest & { readonly spec: Specs[Kind] })[] =>
  manifests.filter((manifest): manifest is Manifest & { readonly spec: Specs[Kind] } => manifest.kind === kind);

export const componentOf = ({ metadata }: Manifest): string => metadata.labels?.['app.kubernetes.io/component'] ?? '';

/** The Deployment of a component; the first one if it has several. */
export const deploymentOf = (manifests: readonly Manifest[], component: string): Deployment => {
  const found = deploymentsOf(manifests).find((deployment) => componentOf(deployment) === component);
  if (!found) throw new Error(`the chart has no Deployment of ${component}`);
  return found;
};

export const containerOf = (manifests: readonly Manifest[], component: string): PodContainer =>
  deploymentOf(manifests, component).spec.template.spec.containers[0];

export const values = (text: string): ValueMap => parseYaml(text) as ValueMap;

/** Values that switch everything on that is off by default. */
const everything = values(`
  nats: { enabled: true }
  uploads:
    store: s3
    publicUrl: https://ingest.example.com
    s3: { endpoint: https://s3.example.com, bucket: files }
  trust: { configMap: authorities }
  tracing: { endpoint: 'http://collector:4318', tracesEndpoint: 'http://collector:4318/v1/traces',
    resourceAttributes: a=b, sampler: parentbased_traceidratio, samplerArg: '0.1', hasHeaders: true }
  webhooks: { allowCidrs: 10.1.0.0/16 }
  consoleOrigins: https://ops.example.com
  consoleIdentityProvider: { issuer: https://staff.example.com, clientId: console }
  identityProvider: { issuer: https://id.example.com, jwksUrl: https://id.example.com/jwks, audience: reports }
  clickhouse: { analystsUrl: https://sql.example.com, cluster: popsvc }
  corsAllowOrigins: https://player.example.com
  postgresql: { requireSyncStandby: true }
  image: { pullSecrets: [{ name: registry }] }
  commandApi: { maxEventAgeDays: 400, podAnnotations: { a: 'on' }, nodeSelector: { disk: ssd },
    autoscaling: { enabled: true }, tolerations: [{ key: a, operator: Exists }] }
  queryApi: { autoscaling: { enabled: true } }
  projectors:
    autoscaling: { enabled: true }
  ops: { from: [{ podSelector: { matchLabels: { a: b } } }] }
  ingress: { enabled: true, className: nginx, ingestHost: i.example.com, reportsHost: r.example.com, tlsSecret: tls }
  networkPolicy: { monitoringFrom: [{ namespaceSelector: {} }] }
  serviceMonitor: { enabled: true, labels: { release: prometheus } }
`);

const exampleFolder = join(chartFolder, 'examples');
export const exampleFiles = readdirSync(exampleFolder);

/** Sets of values by name: the defaults, each file in examples, all of these files together, and everything switched on. */
export const valueSets: ReadonlyMap<string, readonly ValueMap[]> = (() => {
  const examples = exampleFiles
    .filter((name) => name.startsWith('values-'))
    .map((name) => [name, [readValues(join(exampleFolder, name))]] as const);
  return new Map<string, readonly ValueMap[]>([
    ['no values', []],
    ...examples,
    ['all examples together', examples.flatMap(([, files]) => files)],
    ['everything switched on', [everything]],
  ]);
})();
