import { Detection } from '@popsvc/contracts/commands';
import { DetectionsRecorded } from '@popsvc/contracts/events';
import { toRecordedDetection } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/http-kit/server';
import { noExtraFields } from '../intake/validation.ts';
import { createIntakeRoute, type IntakeDependencies } from '../intake/intake.ts';
import type { CheckIds } from '../registry/id-check.ts';

export const recordDetectionsRoute = (dependencies: IntakeDependencies, checkIds: CheckIds): Route =>
  createIntakeRoute(
    {
      kind: 'detection',
      path: '/popsvc/v1/audience/detections',
      summary: 'Store detections of people and vehicles in front of devices.',
      operationId: 'recordDetections',
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
      listField: 'detections',
      itemSchema: Detection,
      extraFields: noExtraFields,
      innerListLimits: [
        ['watches', 1_000],
        ['distance', 1_000],
      ],
      instantField: 'startedAt',
      event: DetectionsRecorded,
      toItem: toRecordedDetection,
      toData: (detections) => ({ detections }),
      checkIds: (detections, network) => checkIds('detections', detections, network),
    },
    dependencies,
  );
