import { z } from 'zod';

/** Name of the file in which the embedded event store reports its background checks, in the folder of its log. */
export const eventLogScrubFile = 'scrub.json';

/** The last background check of each segment of the embedded event store's log. */
export const EventLogScrub = z.object({
  segments: z.array(
    z.object({
      /** Log position where the segment begins. */
      base: z.number(),
      bytes: z.number(),
      /** When the check ended, ms since 1970. */
      checkedMs: z.number(),
      damages: z.array(
        z.object({
          file: z.string(),
          /** Log position; absent if the whole file is meant. */
          position: z.number().optional(),
          what: z.string(),
        }),
      ),
    }),
  ),
  /** Number of segments that have never been checked. */
  unchecked: z.number(),
});
export type EventLogScrub = z.output<typeof EventLogScrub>;
