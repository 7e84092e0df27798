import { type Cell, cellLetters, CELLS } from '@popsvc/contracts/completeness';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';
import { nextAfter } from '../requests/parameters.ts';

const count = z.int().min(0);

const legend = cellLetters.map((letter) => `\`${letter}\` ${CELLS[letter].name}: ${CELLS[letter].about}`).join('\n');

const hoursOf = (letter: Cell) => count.describe(`Number of these hours. ${CELLS[letter].about}`);

const hourCounts = {
  expected_hours: count.describe('Hours that have begun, in which the screen was registered and its site was open.'),
  played_hours: count.describe('Of the expected hours, those with plays, also backfilled ones.'),
  other_played_hours: count.describe(
    'Other hours with plays: before the registration of the screen, or when its site was closed.',
  ),
};

const ScreenCompleteness = z
  .object({
    screen_id: z.string().describe("The vendor's id of the screen."),
    device_id: z.int().min(1).describe('The last device of the screen in the window.'),
    device_name: z.string().describe('Current name of the device.'),
    site_id: z.int().min(1).describe('The last site of the screen in the window.'),
    site_name: z.string().describe('Current name of the site.'),
    cells: z.string().describe(`A letter for each hour.\n${legend}`),
    ...hourCounts,
  })
  .meta({ id: 'ScreenCompleteness' });

export const CompletenessResponse = z
  .object({
    from: Instant.describe('Start of the first hour.'),
    to: Instant.describe('End of the last hour.'),
    hours: count.describe('Number of hours from `from` to `to`: the letters of each screen.'),
    screens: z.array(ScreenCompleteness).describe('Sorted by id.'),
    count: count.describe('Screens on this page.'),
    next_after: nextAfter,
    totals: z
      .object({
        playing: hoursOf('p'),
        silent: hoursOf('s'),
        offline: hoursOf('o'),
        backfilled: hoursOf('b'),
        closed: hoursOf('c'),
        expected: hoursOf('e'),
        unknown: hoursOf('-'),
      })
      .describe('Hours of the screens on this page, by activity.'),
    ...hourCounts,
  })
  .meta({ id: 'Completeness' });
export type Completeness = z.output<typeof CompletenessResponse>;
