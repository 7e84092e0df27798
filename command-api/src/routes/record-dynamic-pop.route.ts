import { DynamicEvent, SchemaVersion } from '@popsvc/contracts/commands';
import { DynamicPopRecorded } from '@popsvc/contracts/events';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { intakeRoute } from '../intake/intake-route.ts';
import type { IntakeParts } from '../intake/take-in.ts';

export const recordDynamicPopRoute = (parts: IntakeParts): Route => {
  const { maxAgeDays } = parts;
  return intakeRoute(
    {
      kind: 'dynamicPop',
      path: '/popsvc/v1/pop/dynamic',
      summary: 'Take in proof-of-play events in a schema of your own, which a mapping turns into plays.',
      operation: 'recordDynamicPop',
      example: {
        schemaVersion: 'player-3',
        events: [
          { screen: 'demo-screen-1', ad: { campaign: 'DEMO-1', file: 'DEMO-CR-1' }, start: 1787223787, seconds: 10 },
        ],
      },
      list: 'events',
      item: DynamicEvent,
      beside: z.strictObject({ schemaVersion: SchemaVersion }),
      innerLists: [],
      asSent: 'whole',
      eventType: DynamicPopRecorded.type,
      schemaVersion: DynamicPopRecorded.version,
      // Its age shows only when it is mapped, maybe much later: the limit of today goes with it.
      toData: (event, { schemaVersion }): DynamicPopRecorded => ({
        schemaVersion,
        event,
        ...(maxAgeDays !== undefined && { maxAgeDays }),
      }),
    },
    parts,
  );
};
