import { defineTable, incidental, type TableDefinition } from '@popsvc/platform/clickhouse';
import { instant } from './fields.ts';

/** Reports of an earlier time need former rows in addition to the current ones (docs/decisions/0037-reports-of-an-earlier-time.md). */
export const defineHistory = ({ fields: { is_deleted: _, ...fields }, ...derived }: TableDefinition): TableDefinition =>
  defineTable({
    ...derived,
    name: `${derived.name}_history`,
    about: `Former rows of ${derived.name}, for reports of an earlier time.`,
    orderBy: [...derived.orderBy, 'version', 'valid_to'],
    // Expired former rows are dropped by partition, one day at a time.
    partitionBy: 'toYYYYMMDD(valid_to)',
    replacing: {},
    fields: {
      ...fields,
      valid_to: incidental(instant('Until when reports showed the row, exclusive.')),
    },
  });
