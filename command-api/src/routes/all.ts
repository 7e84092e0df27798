import type { Route } from '@popsvc/platform/http';
import type { BulkParts } from '../bulk/index.ts';
import type { PassOn } from '../feedback/pass-on.ts';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';
import { bulkJobRoute } from './bulk-job.route.ts';
import { eventFeedbackRoute } from './event-feedback.route.ts';
import { receiveUploadRoutes } from './receive-upload.route.ts';
import { recordDetectionsRoute } from './record-detections.route.ts';
import { recordDynamicPopRoute } from './record-dynamic-pop.route.ts';
import { recordHeartbeatsRoute } from './record-heartbeats.route.ts';
import { recordIntervalsRoute } from './record-intervals.route.ts';
import { recordPopRoute } from './record-pop.route.ts';
import { requestUploadRoute } from './request-upload.route.ts';
import { startBulkIngestRoute } from './start-bulk-ingest.route.ts';

export { uploadsPath } from './receive-upload.route.ts';

export interface RouteParts {
  readonly intake: IntakeParts;
  readonly bulk: BulkParts;
  readonly check: CheckPlaces;
  readonly askQueryApi: PassOn;
}

/** Every endpoint of this service; one line each. */
export const allRoutes = ({ intake, bulk, check, askQueryApi }: RouteParts): readonly Route[] => [
  recordPopRoute(intake),
  recordDynamicPopRoute(intake),
  recordHeartbeatsRoute(intake, check),
  recordIntervalsRoute(intake, check),
  recordDetectionsRoute(intake, check),
  requestUploadRoute(bulk),
  ...receiveUploadRoutes(bulk),
  startBulkIngestRoute(bulk),
  bulkJobRoute(bulk),
  eventFeedbackRoute(askQueryApi),
];
