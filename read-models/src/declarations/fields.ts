import { incidental, field } from '@popsvc/platform/clickhouse';

/** Fields that several tables share, told once. */
export const instant = (about: string) => field("DateTime64(3, 'UTC')", about);
export const word = (about: string) => field('LowCardinality(String)', about);
export const text = (about: string) => field('String', about);
export const id = (about: string) => field('UInt64', `${about}; 0 when unknown`);
export const milliseconds = (about: string) => field('UInt64', `${about}, milliseconds`);
export const flag = (about: string) => field('UInt8', about);

/** The first year whose months have partitions of their own. */
const firstMonthly = 2024;

/**
 * Partitions by month; of years long past by year. An insert writes a part, and waits for the disk, for each partition it has rows
 * for: whoever sends plays of every month since 2000 at once would hold everybody up.
 */
export const byMonth = (column: string): string =>
  `if(toYear(${column}) < ${firstMonthly}, toYear(${column}) * 100, toYYYYMM(${column}))`;

export const network = field('UInt64', 'Network.');
export const vendor = word('Vendor code.');
export const position = (about: string) => field('UInt64', `${about}: position in the log`);

export const source = {
  pos: position('The event'),
  received_at: instant('When the service took the event in.'),
  recorded_at: instant('When the event was appended to the log.'),
};

export const replacing = {
  version: incidental(
    field('UInt64', 'The highest stands: twice the position folded up to, plus one where the row lives.'),
  ),
  is_deleted: flag('1 where the row is gone.'),
};
