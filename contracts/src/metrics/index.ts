import { z } from 'zod';

const ms = (about: string) => z.int().min(0).max(86_400_000).describe(about);

export const Thresholds = z
  .strictObject({
    min_presence_ms: ms('Shortest presence during a play that creates a row.').min(1).default(100),
    merge_gap_ms: ms('Watch periods with gaps up to this are merged.').default(300),
    impression_ms: ms(
      'Shortest presence of an impression. A glance is an impression, too, however short the presence is.',
    ).default(1_000),
    glance_ms: ms('Shortest watch time of a glance.').min(1).default(500),
    view_ms: ms('Shortest watch time of a view.').default(2_000),
    view_through_slack_ms: ms('Longest absence during the play of a view-through.').default(500),
    view_through_share: z
      .number()
      .min(0)
      .max(1)
      .multipleOf(0.001)
      .describe('Share of the play that a view-through must watch; up to three decimals.')
      .default(0.75),
  })
  .refine(({ glance_ms, view_ms }) => glance_ms <= view_ms, {
    path: ['view_ms'],
    message: 'must not be below glance_ms: every view is also a glance',
  })
  .describe('From which presence and watch time on a detection is an impression, glance, view or view-through.');
export type Thresholds = z.output<typeof Thresholds>;

/** The thresholds for a network without a published definition. */
export const defaultThresholds: Thresholds = Thresholds.parse({});
