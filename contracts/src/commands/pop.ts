import { z } from 'zod';
import { InstantText } from '../time/index.ts';
import { describeVocabulary, PLAY_REASONS } from '../vocabulary/index.ts';

const Text = z.string().min(1).max(1_000);
/** `z.record` would validate every key, which is too slow for a request with a thousand of these objects. */
const Loose = z.looseObject({});
const Reference = z.string().max(1_000);

/** A play (one showing of a creative on a screen) in the schema that the service defines. */
export const PopEvent = z.strictObject({
  eventId: Text.describe('Unique id of the event within the vendor.'),
  screenId: Text.describe('The screen, by the id under which your operator registered it.'),
  siteId: Reference.optional().describe("The vendor's own name of the site; stored, never used for access control."),
  campaignId: Reference.describe('The campaign, by the id under which your operator registered it.'),
  creativeId: Reference.describe('The creative, by the id under which your operator registered it.'),
  playedAt: InstantText.describe('Start of the play.'),
  durationMs: z.int().min(1).max(86_400_000).describe('Milliseconds.'),
  startReason: z
    .string()
    .max(1_000)
    .optional()
    .describe(describeVocabulary('Why playback was initiated', PLAY_REASONS)),
  impressions: z
    .looseObject({
      ageBuckets: z
        .looseObject({
          total: z.number().optional().describe('All persons.'),
          male: z.number().optional().describe('Male persons.'),
          female: z.number().optional().describe('Female persons.'),
        })
        .optional()
        .describe('Estimated number of persons.'),
    })
    .optional()
    .describe('Your own estimate of the audience; stored with the play. Reports use detections only.'),
  context: Loose.optional().describe('Any data about the play, such as the weather; stored with it, not in reports.'),
  device: Loose.optional().describe(
    'Any data about the player, such as its version; stored with the play, not in reports.',
  ),
});
export type PopEvent = z.output<typeof PopEvent>;

/** A play in a vendor's own schema. A mapping converts it to a `PopEvent`. */
export const DynamicEvent = z.looseObject({}).describe('An object of any structure.');
export type DynamicEvent = z.output<typeof DynamicEvent>;

export const SchemaVersion = z.string().min(1).max(200).describe('Your name for the schema of these events.');
