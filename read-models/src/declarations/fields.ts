import { incidental, field } from '@popsvc/platform/clickhouse';

export const instant = (about: string) => field("DateTime64(3, 'UTC')", about);
export const word = (about: string) => field('LowCardinality(String)', about);
export const oneOf = (values: readonly string[]) => word(`One of ${values.join(', ')}.`);
export const text = (about: string) => field('String', about);
export const id = (about: string) => field('UInt64', `${about}; 0 when unknown`);
export const milliseconds = (about: string) => field('UInt64', `${about}, milliseconds`);
export const flag = (about: string) => field('UInt8', about);

const firstMonthly = 2024;

/**
 * An insert writes and syncs one part per partition. With months for earlier years, a batch with plays since 2000 could create hundreds of
 * parts.
 */
export const byMonth = (column: string): string =>
  `if(toYear(${column}) < ${firstMonthly}, toYear(${column}) * 100, toYYYYMM(${column}))`;

export const network = field('UInt64', 'Network.');
export const vendor = word('Vendor code.');
export const sequence = (about: string) =>
  field('UInt64', `${about}: sequence, 1,024 times the position of its event in the log plus its index in the event`);

export const source = {
  pos: sequence('The item'),
  received_at: instant('When the service received the event.'),
  recorded_at: instant('When the event was appended to the log.'),
};

export const replacing = {
  version: incidental(field('UInt64', 'The highest is current. It grows with the log; that of a deleted row is even.')),
  is_deleted: flag('1 when the row is deleted.'),
};

export const derivedRow = {
  valid_from: incidental(
    instant('Since when reports show the row: when the oldest event of the batch was appended that wrote it.'),
  ),
  ...replacing,
};
