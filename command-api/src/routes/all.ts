import type { Route } from '@popsvc/platform/http';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';
import { recordDetectionsRoute } from './record-detections.route.ts';
import { recordPopRoute } from './record-pop.route.ts';

/** Every endpoint of this service; one line each. */
export const allRoutes = (parts: IntakeParts, check: CheckPlaces): readonly Route[] => [
  recordPopRoute(parts),
  recordDetectionsRoute(parts, check),
];
