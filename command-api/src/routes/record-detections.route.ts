import { Detection } from '@popsvc/contracts/commands';
import { DetectionRecorded } from '@popsvc/contracts/events';
import { toDetectionRecorded } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/platform/http';
import { nothingBeside } from '../intake/intake.ts';
import { intakeRoute } from '../intake/intake-route.ts';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';

export const recordDetectionsRoute = (parts: IntakeParts, check: CheckPlaces): Route =>
  intakeRoute(
    {
      kind: 'detection',
      path: '/popsvc/v1/audience/detections',
      summary: 'Take in detections of people and vehicles in front of devices.',
      operation: 'recordDetections',
      example: {
        detections: [
          {
            detectionId: 'demo-detection-1',
            deviceId: 31,
            feederId: 41,
            cameraId: 51,
            watcherId: 7001,
            startedAt: '2026-08-20T12:03:06Z',
            endedAt: '2026-08-20T12:03:31.400Z',
            gender: 'female',
            age: 34,
            mood: 'happy',
            distance: [2.4],
            watches: [{ startedAt: '2026-08-20T12:03:08Z', endedAt: '2026-08-20T12:03:09.200Z' }],
          },
        ],
      },
      list: 'detections',
      item: Detection,
      beside: nothingBeside,
      innerLists: [
        ['watches', 1_000],
        ['distance', 1_000],
      ],
      instant: 'startedAt',
      eventType: DetectionRecorded.type,
      schemaVersion: DetectionRecorded.version,
      toData: toDetectionRecorded,
      check: (detections, network) => check('detections', detections, network),
    },
    parts,
  );
