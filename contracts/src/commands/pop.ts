import { z } from 'zod';
import { InstantText } from '../time/index.ts';

const Text = z.string().min(1).max(1_000);
/** Any object. Not a record: that looks at every key, and there may be a thousand of these in a request. */
const Loose = z.looseObject({});
const Reference = z.string().max(1_000);
const count = z.number();

/** A canonical proof-of-play event as a vendor sends it (service.md 2.7); unknown top-level fields are refused. */
export const PopEvent = z.strictObject({
  eventId: Text.describe('Unique id of the event within the vendor.'),
  screenId: Text,
  siteId: Reference.optional().describe("The vendor's own name of the site; kept, never used for scope."),
  campaignId: Reference,
  creativeId: Reference,
  playedAt: InstantText.describe('When the play began.'),
  durationMs: z.int().min(1).max(86_400_000).describe('Milliseconds.'),
  startReason: z
    .string()
    .max(1_000)
    .optional()
    .describe('Why playback was initiated, for example scheduled or triggered.'),
  impressions: z
    .looseObject({
      ageBuckets: z
        .looseObject({ total: count.optional(), male: count.optional(), female: count.optional() })
        .optional(),
    })
    .optional(),
  context: Loose.optional(),
  device: Loose.optional(),
});
export type PopEvent = z.output<typeof PopEvent>;

/** An event of a vendor's own making (service.md 2.8): any object; only a mapping looks into it. */
export const DynamicEvent = z.looseObject({}).describe('An object of any structure.');
export type DynamicEvent = z.output<typeof DynamicEvent>;

/** The vendor's name of the schema its events are in; also of the rows of a bulk file. */
export const SchemaVersion = z.string().min(1).max(200).describe('Your name of the schema of these events.');
