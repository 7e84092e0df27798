import { Heartbeat } from '@popsvc/contracts/commands';
import { HeartbeatRecorded } from '@popsvc/contracts/events';
import { toHeartbeatRecorded } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/platform/http';
import { nothingBeside } from '../intake/intake.ts';
import { intakeRoute } from '../intake/intake-route.ts';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';

export const recordHeartbeatsRoute = (parts: IntakeParts, check: CheckPlaces): Route =>
  intakeRoute(
    {
      kind: 'heartbeat',
      path: '/popsvc/v1/heartbeats',
      summary: 'Take in signs of life of devices, apps on them, and feeders.',
      operation: 'recordHeartbeats',
      example: {
        heartbeats: [
          { deviceId: 31, at: '2026-08-20T14:03:07.250Z' },
          { deviceId: 31, appCode: 'player', state: 'running', at: '2026-08-20T14:03:07.250Z' },
          { feederId: 41, at: '2026-08-20T14:03:07.250Z' },
        ],
      },
      list: 'heartbeats',
      item: Heartbeat,
      beside: nothingBeside,
      innerLists: [],
      instant: 'at',
      eventType: HeartbeatRecorded.type,
      schemaVersion: HeartbeatRecorded.version,
      toData: toHeartbeatRecorded,
      check: (heartbeats, network) => check('heartbeats', heartbeats, network),
    },
    parts,
  );
