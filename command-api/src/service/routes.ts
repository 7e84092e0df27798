import type { Route } from '@popsvc/http-kit/server';
import type { ServiceDescription } from '@popsvc/http-kit/openapi';
import { vendorReads } from '@popsvc/http-kit/vendor-reads';
import { vendorWebhooks } from '@popsvc/http-kit/webhooks';
import { bulkJobRoute } from '../bulk/job.route.ts';
import { receiveUploadRoutes } from '../bulk/receive-upload.route.ts';
import { requestUploadRoute } from '../bulk/request-upload.route.ts';
import { startBulkIngestRoute } from '../bulk/start-ingest.route.ts';
import type { BulkDependencies } from '../bulk/uploads.ts';
import { recordDetectionsRoute } from '../detections/detections.route.ts';
import { recordHeartbeatsRoute, recordIntervalsRoute } from '../heartbeats/heartbeats.route.ts';
import type { IntakeDependencies } from '../intake/intake.ts';
import type { FindWarnings } from '../pop/play-warnings.ts';
import type { TryMapping } from '../pop/mapping-trial.ts';
import { recordDynamicPopRoute, recordPopRoute } from '../pop/pop.route.ts';
import type { ForwardRequest } from '../query-api/query-api-proxy.ts';
import type { CheckIds } from '../registry/id-check.ts';
import responseExamples from './response-examples.json' with { type: 'json' };

/** query-api serves the read models and the webhook subscriptions. */
const forwardedRoutes = (forward: ForwardRequest): readonly Route[] =>
  [...vendorReads, ...Object.values(vendorWebhooks)].map((declaration) => ({
    ...declaration,
    handle: (request) => forward(declaration.method, request.url, request),
  }));

export interface RouteDependencies {
  readonly intake: IntakeDependencies;
  readonly bulk: BulkDependencies;
  readonly checkIds: CheckIds;
  readonly findWarnings: FindWarnings;
  readonly tryMapping: TryMapping;
  readonly forwardToQueryApi: ForwardRequest;
}

export const allRoutes = ({
  intake,
  bulk,
  checkIds,
  findWarnings,
  tryMapping,
  forwardToQueryApi,
}: RouteDependencies): readonly Route[] => [
  recordPopRoute(intake, findWarnings),
  recordDynamicPopRoute(intake, tryMapping),
  recordHeartbeatsRoute(intake, checkIds),
  recordIntervalsRoute(intake, checkIds),
  recordDetectionsRoute(intake, checkIds),
  requestUploadRoute(bulk),
  ...receiveUploadRoutes(bulk),
  startBulkIngestRoute(bulk),
  bulkJobRoute(bulk, forwardToQueryApi),
  ...forwardedRoutes(forwardToQueryApi),
];

export const commandApiDescription: ServiceDescription = {
  title: 'popsvc ingestion',
  description:
    'What vendors push: plays, heartbeats, intervals, detections, and bulk files of plays.\n\n' +
    '`202` means that all events of a request are durable. If one is invalid, the service stores none. After `503` or a broken ' +
    'connection, a part of a request above 1 MB may be stored: repeat it with its `Idempotency-Key`, and no event is stored twice. ' +
    'The API key determines the vendor and the network.',
  groups: [
    { name: 'Plays', description: 'Proof-of-play events.', paths: ['/popsvc/v1/pop'] },
    {
      name: 'Signs of life',
      description: 'Heartbeats and intervals.',
      paths: ['/popsvc/v1/heartbeats', '/popsvc/v1/intervals'],
    },
    { name: 'Audience', description: 'Detections of people and vehicles.', paths: ['/popsvc/v1/audience'] },
    {
      name: 'Bulk files',
      description: 'Files of plays in a schema of your own: request a URL, upload, start the ingestion, poll the job.',
      paths: ['/popsvc/v1/pop/dynamic/bulk', '/popsvc/v1/uploads'],
    },
    {
      name: 'Your events',
      description: 'What the service did with the plays that you sent.',
      paths: ['events/', 'summary', 'jobs', 'quarantine', 'reconcile'].map((path) => `/popsvc/v1/pop/${path}`),
    },
    {
      name: 'Webhooks',
      description: 'Notices about you that are posted to a URL of yours.',
      paths: ['/popsvc/v1/webhooks'],
    },
    { name: 'Service', description: 'Probes and this description.', paths: ['/'] },
  ],
  responseExamples,
};
