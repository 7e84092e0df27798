import { z } from 'zod';
import { responseMessage } from './envelope.ts';

/** The fields of a play that name an entity of the registry by the id that vendors use. */
export const PLAY_REFERENCES = ['screenId', 'campaignId', 'creativeId'] as const;
export type PlayReference = (typeof PLAY_REFERENCES)[number];

const WARNING_CODES = ['UNKNOWN_SCREEN', 'UNKNOWN_CAMPAIGN', 'UNKNOWN_CREATIVE', 'CONFLICTING_EVENT_ID'] as const;

export const maxListedWarnings = 100;

/** The number of unknown ids of a request for which the service searches for a similar registered id. */
export const maxNearestLookups = 10;

const EventWarning = z
  .object({
    path: z.string().describe('The first field with this value, such as `events[3].screenId`.'),
    code: z
      .enum(WARNING_CODES)
      .describe(
        'UNKNOWN_…: the registry does not contain this id; reports show the names once it is registered. CONFLICTING_EVENT_ID: an ' +
          'earlier event of the request has the same id and other content; the first one counts.',
      ),
    value: z.string().describe('As sent.'),
    message: responseMessage,
    nearest: z
      .string()
      .optional()
      .describe(
        `A registered id of your network that is spelled almost the same. Looked up for the first ${maxNearestLookups} unknown values.`,
      ),
  })
  .meta({ id: 'EventWarning' });
export type EventWarning = z.output<typeof EventWarning>;

export const EventWarnings = z.object({
  warnings: z
    .array(EventWarning)
    .max(maxListedWarnings)
    .optional()
    .describe(
      `The first ${maxListedWarnings} warnings, one for each value. They refuse no event: a 202 has stored all. Absent without warnings.`,
    ),
  warningCount: z.int().min(1).optional().describe('Number of warnings, with those that are not listed.'),
});
export type EventWarnings = z.output<typeof EventWarnings>;
