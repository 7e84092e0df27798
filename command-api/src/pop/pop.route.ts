import { DynamicEvent, PopEvent, SchemaVersion } from '@popsvc/contracts/commands';
import { DynamicPlaysRecorded, PlaysRecorded } from '@popsvc/contracts/events';
import { EventWarnings } from '@popsvc/contracts/responses';
import { toRecordedPlay } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/http-kit/server';
import { z } from 'zod';
import { noExtraFields } from '../intake/validation.ts';
import { MappingTrial, type TryMapping } from './mapping-trial.ts';
import { createIntakeRoute, type IntakeDependencies } from '../intake/intake.ts';
import type { FindWarnings } from './play-warnings.ts';

export const recordPopRoute = (dependencies: IntakeDependencies, findWarnings: FindWarnings): Route =>
  createIntakeRoute(
    {
      kind: 'pop',
      path: '/popsvc/v1/pop/events',
      summary: 'Store proof-of-play events in the canonical schema.',
      operationId: 'recordPopEvents',
      example: {
        events: [
          {
            eventId: 'demo-play-1',
            screenId: 'demo-screen-1',
            campaignId: 'DEMO-1',
            creativeId: 'DEMO-CR-1',
            playedAt: '2026-08-20T14:03:07.250+02:00',
            durationMs: 10_000,
            startReason: 'scheduled',
          },
        ],
      },
      listField: 'events',
      itemSchema: PopEvent,
      extraFields: noExtraFields,
      innerListLimits: [],
      storedAsSent: ['context', 'device', 'impressions'],
      instantField: 'playedAt',
      event: PlaysRecorded,
      toItem: toRecordedPlay,
      toData: (plays) => ({ plays }),
      warnings: { fields: EventWarnings, find: (...valid) => findWarnings('events', ...valid) },
    },
    dependencies,
  );

export const recordDynamicPopRoute = (dependencies: IntakeDependencies, tryMapping: TryMapping): Route => {
  const { maxAgeDays } = dependencies;
  return createIntakeRoute(
    {
      kind: 'dynamicPop',
      path: '/popsvc/v1/pop/dynamic',
      summary: 'Store proof-of-play events in a schema of your own, which a mapping turns into plays.',
      operationId: 'recordDynamicPop',
      example: {
        schemaVersion: 'player-3',
        events: [
          { screen: 'demo-screen-1', ad: { campaign: 'DEMO-1', file: 'DEMO-CR-1' }, start: 1787223787, seconds: 10 },
        ],
      },
      listField: 'events',
      itemSchema: DynamicEvent,
      extraFields: z.strictObject({ schemaVersion: SchemaVersion }),
      innerListLimits: [],
      storedAsSent: 'whole',
      validFields: MappingTrial.shape,
      describeValid: (events, { schemaVersion }, sender) => tryMapping(events, schemaVersion, sender),
      event: DynamicPlaysRecorded,
      toItem: (event) => event,
      // A mapping may convert the event much later, so the event stores the age limit of its receipt.
      toData: (items, { schemaVersion }) => ({
        schemaVersion,
        items,
        ...(maxAgeDays !== undefined && { maxAgeDays }),
      }),
    },
    dependencies,
  );
};
