import type { Route } from '@popsvc/platform/http';
import type { PassOn } from '../feedback/pass-on.ts';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';
import { eventFeedbackRoute } from './event-feedback.route.ts';
import { recordDetectionsRoute } from './record-detections.route.ts';
import { recordDynamicPopRoute } from './record-dynamic-pop.route.ts';
import { recordHeartbeatsRoute } from './record-heartbeats.route.ts';
import { recordIntervalsRoute } from './record-intervals.route.ts';
import { recordPopRoute } from './record-pop.route.ts';

/** Every endpoint of this service; one line each. */
export const allRoutes = (parts: IntakeParts, check: CheckPlaces, askQueryApi: PassOn): readonly Route[] => [
  recordPopRoute(parts),
  recordDynamicPopRoute(parts),
  recordHeartbeatsRoute(parts, check),
  recordIntervalsRoute(parts, check),
  recordDetectionsRoute(parts, check),
  eventFeedbackRoute(askQueryApi),
];
