import type { BuiltInTokenProvider } from '@popsvc/http-kit/auth/tokens';
import type { Route } from '@popsvc/http-kit/server';
import type { ServiceDescription } from '@popsvc/http-kit/openapi';
import type { Postgres } from '@popsvc/platform/postgres';
import { changesRoutes } from '../changes/changes.route.ts';
import { dataDictionaryRoute } from '../data-dictionary/data-dictionary.route.ts';
import { eventStatusRoute } from '../event-status/event-status.route.ts';
import { metricDefinitionsRoute } from '../metric-definitions/metric-definitions.route.ts';
import { type DownloadDependencies, downloadRoute } from '../reports/download.route.ts';
import { type PageDependencies, pageRoute } from '../reports/page.route.ts';
import { type ReconcileDependencies, reconcileRoute } from '../reconcile/reconcile.route.ts';
import { reports } from '../reports/reports.ts';
import { statusListRoute, type StatusDependencies, statusResources, statusRoute } from '../status/status.route.ts';
import { keySetRoute, tokenRoute } from '../tokens/token.route.ts';
import { appUptimeRoute } from '../uptime/app-uptime.route.ts';
import { vendorJobsRoute } from '../vendor-jobs/vendor-jobs.route.ts';
import { vendorQuarantineRoute } from '../vendor-quarantine/vendor-quarantine.route.ts';
import { type WebhooksDependencies, webhooksRoutes } from '../webhooks/webhook.routes.ts';
import { summaryRoute } from '../vendor-summary/summary.route.ts';
import responseExamples from './response-examples.json' with { type: 'json' };

export interface RouteDependencies
  extends
    PageDependencies,
    Omit<DownloadDependencies, 'shardOf'>,
    Omit<ReconcileDependencies, 'shardOf'>,
    Omit<StatusDependencies, 'shardOf'>,
    Omit<WebhooksDependencies, 'postgres'> {
  readonly postgres: Postgres;
  /** Undefined if an external provider issues the tokens. */
  readonly tokens: BuiltInTokenProvider | undefined;
}

export const allRoutes = ({ postgres, tokens, ...dependencies }: RouteDependencies): readonly Route[] => [
  ...reports.map((report) => pageRoute(report, dependencies)),
  ...reports.map((report) => downloadRoute(report, dependencies)),
  ...reports.flatMap((report) => changesRoutes(report, dependencies)),
  metricDefinitionsRoute(dependencies),
  dataDictionaryRoute(),
  ...statusResources.map((resource) => statusListRoute(resource, dependencies)),
  ...statusResources.map((resource) => statusRoute(resource, dependencies)),
  appUptimeRoute(dependencies),
  eventStatusRoute({ ...dependencies, postgres }),
  summaryRoute(dependencies),
  vendorJobsRoute(dependencies),
  vendorQuarantineRoute(dependencies),
  reconcileRoute(dependencies),
  ...webhooksRoutes({ ...dependencies, postgres }),
  ...(tokens ? [tokenRoute({ postgres, tokens }), keySetRoute({ tokens })] : []),
];

export const queryApiDescription: ServiceDescription = {
  title: 'popsvc reporting',
  description:
    'Audience reports, device status and app uptime for partners, and the endpoint that issues access tokens.\n\n' +
    'Every response is limited to the networks of the credential. A report covers one network: that of `X-Network-Name`, else ' +
    'the first network of the token. `HEAD` is supported wherever `GET` is. Unknown parameters are refused.',
  groups: [
    {
      name: 'Coffee',
      description: 'Campaign-level audience and engagement.',
      paths: ['/api/v1/coffee', '/api/v1/metric-definitions'],
    },
    { name: 'Watcher summary', description: 'Watcher observations.', paths: ['/api/v1/watcher-summary'] },
    {
      name: 'Data dictionary',
      description: 'What the columns of the reports are.',
      paths: ['/api/v1/data-dictionary'],
    },
    {
      name: 'Status',
      description: 'Whether devices and feeders are online, and the uptime of apps on devices.',
      paths: ['/api/v1/devices', '/api/v1/feeders', '/api/v1/device-apps'],
    },
    {
      name: 'Events of vendors',
      description:
        'What the service did with the events of a vendor. Vendors call these endpoints at the ingestion address.',
      paths: ['/popsvc/v1/pop'],
    },
    {
      name: 'Webhooks',
      description:
        'Notices that are posted to a URL of yours. Vendors call the endpoints under `/popsvc/v1` at the ingestion address.',
      paths: ['/api/v1/webhooks', '/popsvc/v1/webhooks'],
    },
    { name: 'Tokens', description: 'Access tokens for client credentials.', paths: ['/oauth', '/.well-known'] },
    { name: 'Service', description: 'Probes and this description.', paths: ['/'] },
  ],
  responseExamples,
};
