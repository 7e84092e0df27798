import { PopEvent } from '@popsvc/contracts/commands';
import { PopRecorded } from '@popsvc/contracts/events';
import { toPopRecorded } from '@popsvc/domain/intake';
import type { Route } from '@popsvc/platform/http';
import { nothingBeside } from '../intake/intake.ts';
import { intakeRoute } from '../intake/intake-route.ts';
import type { IntakeParts } from '../intake/take-in.ts';

export const recordPopRoute = (parts: IntakeParts): Route =>
  intakeRoute(
    {
      kind: 'pop',
      path: '/popsvc/v1/pop/events',
      summary: 'Take in proof-of-play events in the canonical schema.',
      operation: 'recordPopEvents',
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
      list: 'events',
      item: PopEvent,
      beside: nothingBeside,
      innerLists: [],
      asSent: ['context', 'device', 'impressions'],
      instant: 'playedAt',
      eventType: PopRecorded.type,
      schemaVersion: PopRecorded.version,
      toData: toPopRecorded,
    },
    parts,
  );
