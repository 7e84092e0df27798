import { defineTable, incidental, type TableDefinition } from '@popsvc/platform/clickhouse';
import { instant } from './fields.ts';

/**
 * Defines the table of the former rows of `derived`: those that newer rows replaced, and those that were withdrawn. Together with the
 * current rows, they give a report as it was at an earlier time (docs/decisions/0037-reports-of-an-earlier-time.md).
 */
export const defineHistory = ({ fields: { is_deleted: _, ...fields }, ...derived }: TableDefinition): TableDefinition =>
  defineTable({
    ...derived,
    name: `${derived.name}_history`,
    about: `Former rows of ${derived.name}, for reports of an earlier time.`,
    orderBy: [...derived.orderBy, 'version', 'valid_to'],
    // A day is dropped as a whole.
    partitionBy: 'toYYYYMMDD(valid_to)',
    replacing: {},
    fields: {
      ...fields,
      valid_to: incidental(instant('Until when reports showed the row, exclusive.')),
    },
  });
