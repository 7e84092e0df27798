import { z } from 'zod';
import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { withEnvelope } from '@popsvc/contracts/responses';
import { reportLimits } from '@popsvc/contracts/responses';
import { rowOf } from './row-of.ts';

const { least, most } = reportLimits.limit;

const pageOf = (row: z.ZodObject) =>
  withEnvelope(
    z.object({
      total: z.int().min(0).describe('Rows of the whole window, whatever the page.'),
      limit: z.int().min(least).max(most),
      next_after: z
        .string()
        .nullable()
        .describe(
          'What to send as `after` for the next page; null on the last. Some have 19 digits after the second: send them all.',
        ),
      count: z.int().min(0).describe('Rows of this page; `limit` on every page but the last.'),
      rows: z.array(row),
    }),
  );

/** Pages of the reports, by the name of the dataset. */
export const reportPages: Readonly<Record<string, z.ZodObject>> = {
  [coffeeDataset.name]: pageOf(rowOf(coffeeDataset).meta({ id: 'CoffeeRow' })).meta({ id: 'CoffeePage' }),
  [watcherSummaryDataset.name]: pageOf(rowOf(watcherSummaryDataset).meta({ id: 'WatcherSummaryRow' })).meta({
    id: 'WatcherSummaryPage',
  }),
};
