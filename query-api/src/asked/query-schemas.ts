import { reportLimits } from '@popsvc/contracts/responses';
import { z } from 'zod';
import { downloadFormats, pageFormats } from './format.ts';

/** The parameters of reports, for their description; their names are those that are known. `Parameters` does the checking. */
const edge = (about: string, dates: boolean) =>
  z
    .union([z.iso.datetime({ offset: true }), ...(dates ? [z.iso.date()] : [])])
    .describe(
      `${about}${dates ? ' A date alone is its midnight in UTC.' : ''} A plus sign of an offset is written %2B.`,
    );

const siteId = z.int().min(1);
const shared = (dates: boolean) => ({
  from: edge('Start of the window, part of it.', dates),
  to: edge(`End of the window, not part of it; at most ${reportLimits.longestDays} days after from.`, dates),
  site_id: z.array(siteId).optional().describe('Only these sites of the network; repeat it for several.'),
  offset: z.int().min(0).default(0).describe('Rows to skip.'),
});
const { least, most, standard } = reportLimits.limit;
const limit = z.int().min(least).max(most);

/** `dates`: whether an edge of the window may be a date alone. */
export const pageQuerySchema = (dates: boolean) =>
  z.object({
    ...shared(dates),
    offset: z.int().min(0).default(0).describe('Rows to skip; ignored when after is given.'),
    limit: limit.default(standard).describe('Most rows of the page.'),
    sort: z.enum(['asc', 'desc']).default('asc').describe('By time.'),
    after: z
      .string()
      .optional()
      .describe('Go on after this instant: the next_after of the page before, or any datetime with Z or an offset.'),
    format: z
      .enum(pageFormats)
      .default('json')
      .describe(
        '`ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson says the same.',
      ),
  });

export const downloadQuerySchema = (dates: boolean) =>
  z.object({
    ...shared(dates),
    limit: limit.optional().describe('Most rows of the file; without it, all.'),
    format: z
      .enum(downloadFormats)
      .default('csv')
      .describe(
        'An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet says the same.',
      ),
    excel_safe: z
      .enum(['true', 'false'])
      .default('false')
      .describe('CSV alone: whether an apostrophe is put before text that a spreadsheet would run as a formula.'),
  });
