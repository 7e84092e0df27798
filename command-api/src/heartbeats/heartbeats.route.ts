import { Heartbeat, Interval } from '@popsvc/contracts/commands';
import { HeartbeatsRecorded, IntervalsRecorded } from '@popsvc/contracts/events';
import { toRecordedHeartbeat, toRecordedInterval } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/http-kit/server';
import { noExtraFields } from '../intake/validation.ts';
import { createIntakeRoute, type IntakeDependencies } from '../intake/intake.ts';
import type { CheckIds } from '../registry/id-check.ts';

export const recordHeartbeatsRoute = (dependencies: IntakeDependencies, checkIds: CheckIds): Route =>
  createIntakeRoute(
    {
      kind: 'heartbeat',
      path: '/popsvc/v1/heartbeats',
      summary: 'Store heartbeats of devices, of apps on them, and of feeders.',
      operationId: 'recordHeartbeats',
      example: {
        heartbeats: [
          { deviceId: 31, at: '2026-08-20T14:03:07.250Z' },
          { deviceId: 31, appCode: 'player', state: 'running', at: '2026-08-20T14:03:07.250Z' },
          { feederId: 41, at: '2026-08-20T14:03:07.250Z' },
        ],
      },
      listField: 'heartbeats',
      itemSchema: Heartbeat,
      extraFields: noExtraFields,
      innerListLimits: [],
      instantField: 'at',
      event: HeartbeatsRecorded,
      toItem: toRecordedHeartbeat,
      toData: (heartbeats) => ({ heartbeats }),
      checkIds: (heartbeats, network) => checkIds('heartbeats', heartbeats, network),
    },
    dependencies,
  );

export const recordIntervalsRoute = (dependencies: IntakeDependencies, checkIds: CheckIds): Route =>
  createIntakeRoute(
    {
      kind: 'interval',
      path: '/popsvc/v1/intervals',
      summary: 'Store intervals during which apps on devices were running or stopped.',
      operationId: 'recordIntervals',
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
      listField: 'intervals',
      itemSchema: Interval,
      extraFields: noExtraFields,
      innerListLimits: [],
      instantField: 'startedAt',
      laterInstantFields: ['endedAt', 'lastHeartbeatAt'],
      event: IntervalsRecorded,
      toItem: toRecordedInterval,
      toData: (intervals) => ({ intervals }),
      checkIds: (intervals, network) => checkIds('intervals', intervals, network),
    },
    dependencies,
  );
