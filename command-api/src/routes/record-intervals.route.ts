import { Interval } from '@popsvc/contracts/commands';
import { IntervalRecorded } from '@popsvc/contracts/events';
import { toIntervalRecorded } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/platform/http';
import { nothingBeside } from '../intake/intake.ts';
import { intakeRoute } from '../intake/intake-route.ts';
import type { IntakeParts } from '../intake/take-in.ts';
import type { CheckPlaces } from '../places/check-places.ts';

export const recordIntervalsRoute = (parts: IntakeParts, check: CheckPlaces): Route =>
  intakeRoute(
    {
      kind: 'interval',
      path: '/popsvc/v1/intervals',
      summary: 'Take in how long apps on devices were running or stopped.',
      operation: 'recordIntervals',
      example: {
        intervals: [
          {
            deviceId: 31,
            appCode: 'player',
            state: 'running',
            startedAt: '2026-08-20T05:00:00Z',
            endedAt: '2026-08-20T12:30:00Z',
            lastHeartbeatAt: '2026-08-20T12:29:45Z',
          },
        ],
      },
      list: 'intervals',
      item: Interval,
      beside: nothingBeside,
      innerLists: [],
      instant: 'startedAt',
      laterInstants: ['endedAt', 'lastHeartbeatAt'],
      eventType: IntervalRecorded.type,
      schemaVersion: IntervalRecorded.version,
      toData: toIntervalRecorded,
      check: (intervals, network) => check('intervals', intervals, network),
    },
    parts,
  );
