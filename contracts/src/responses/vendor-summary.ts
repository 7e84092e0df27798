import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { PLAY_REFERENCES } from './event-warnings.ts';
import { withEnvelope } from './envelope.ts';

export const maxUnresolved = 100;

export const maxSummaryDays = 31;

const count = z.int().min(0);

export const VendorSummary = withEnvelope(
  z.object({
    hours: z
      .array(
        z.object({
          hour: Instant.describe('Start of the hour (UTC) in which the service received the events.'),
          received: count.describe(
            'Events received: the sum of the other counts. Unreadable rows of files are not included.',
          ),
          stored: count.describe('First receipts of their event id: these are the plays.'),
          duplicate: count.describe('Received again with the same content; counted once in reports.'),
          conflict: count.describe('Received again with other content; the first receipt counts.'),
          quarantined: count.describe('No mapping has converted them to plays.'),
        }),
      )
      .describe('Oldest first. Hours without events are absent.'),
    unresolved: z
      .array(
        z.object({
          field: z.enum(PLAY_REFERENCES).describe('The field of the plays that has the id.'),
          value: z.string().describe('The id that the plays name and the registry does not contain.'),
          count: z.int().min(1).describe('Number of plays; approximate above 65,536.'),
          last_received_at: Instant.describe('When the newest of these plays was received.'),
        }),
      )
      .describe(
        `Ids in plays that start in the window, whenever they were received; the most frequent first, at most ${maxUnresolved}. An entry ` +
          'disappears when the id is registered. Screens of quarantined events are not included: see their reasons.',
      ),
    unresolved_count: count.describe('All such ids, including those that the list does not have.'),
  }),
).meta({ id: 'VendorSummary' });
export type VendorSummary = z.output<typeof VendorSummary>;
