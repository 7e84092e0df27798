import { columns } from '../program/columns.ts';
import type { ToldBalance } from './told-events.ts';

const figures = ['received', 'stored', 'duplicate', 'conflict', 'quarantined', 'late', 'clock_ahead'];
export const balanceFields: readonly string[] = ['hour', 'network_id', 'vendor', ...figures];

/** The hours, and below them all of the time together. */
export const balanceText = ({ hours, sum }: ToldBalance): string =>
  columns(
    sum && hours.length > 0 ? [...hours, { hour: 'together', ...sum }] : [],
    balanceFields,
    'Nothing was received then.',
  );
