import { cellLetters, CELLS } from '@popsvc/contracts/completeness';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';
import { nextAfter } from '../requests/parameters.ts';

const count = z.int().min(0);

const legend = cellLetters.map((letter) => `\`${letter}\` ${CELLS[letter].name}: ${CELLS[letter].about}`).join('\n');

const hourCounts = {
  expected_hours: count.describe('Hours that have begun, in which the screen was registered and its site was open.'),
  played_hours: count.describe('Of the expected hours, those with plays: playing or backfilled.'),
};

const ScreenCompleteness = z
  .object({
    screen_id: z.string().describe("The vendor's id of the screen."),
    device_id: z.int().min(1).describe('The last device of the screen in the window.'),
    device_name: z.string(),
    site_id: z.int().min(1),
    site_name: z.string(),
    cells: z.string().describe(`A letter for each hour.\n${legend}`),
    ...hourCounts,
  })
  .meta({ id: 'ScreenCompleteness' });

export const CompletenessResponse = z
  .object({
    from: Instant.describe('Start of the first hour.'),
    to: Instant.describe('End of the last hour.'),
    hours: count,
    screens: z.array(ScreenCompleteness).describe('Sorted by id.'),
    count: count.describe('Screens on this page.'),
    next_after: nextAfter,
    totals: z
      .object({
        playing: count,
        silent: count,
        offline: count,
        backfilled: count,
        closed: count,
        expected: count,
        unknown: count,
      })
      .describe('Hours of the screens on this page, by activity.'),
    ...hourCounts,
  })
  .meta({ id: 'Completeness' });
export type Completeness = z.output<typeof CompletenessResponse>;
