import { z } from 'zod';

const ms = (about: string) => z.int().min(0).max(86_400_000).describe(about);

/** What counts as impression, glance, view and view-through (decisions 5.1 to 5.3); milliseconds, and a share from 0 to 1. */
export const Thresholds = z
  .strictObject({
    min_presence_ms: ms('Shortest presence during a play that makes a row.').min(1).default(100),
    merge_gap_ms: ms('Looks no further apart than this are one look.').default(300),
    impression_ms: ms('Presence from which a person is an impression.').default(1_000),
    glance_ms: ms('Watching from which a person is a glance.').min(1).default(500),
    view_ms: ms('Watching from which a person is a view.').default(2_000),
    view_through_slack_ms: ms('How much of the play a view-through may miss.').default(500),
    view_through_share: z
      .number()
      .min(0)
      .max(1)
      .multipleOf(0.001)
      .describe('Share of the play a view-through must watch; up to three decimals.')
      .default(0.75),
  })
  .refine(({ glance_ms, view_ms }) => glance_ms <= view_ms, {
    path: ['view_ms'],
    message: 'must not be below glance_ms, or the flags would not nest',
  });
export type Thresholds = z.output<typeof Thresholds>;

/** In force where a network has published none. */
export const defaultThresholds: Thresholds = Thresholds.parse({});
