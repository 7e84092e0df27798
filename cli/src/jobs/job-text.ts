import { cell } from '../program/cell.ts';

/** A bulk job as the operations server tells it. */
export interface ToldJob {
  readonly job_id: string;
  readonly status: string;
  readonly progress_percent: number;
  readonly processed_rows: number;
  readonly error_rows: number;
  readonly total_rows: number | null;
}

export interface ToldWholeJob extends ToldJob {
  readonly errors: readonly { readonly row: number; readonly error: string }[];
}

const shownErrors = 10;
/** A field a line. */
const lines = (told: object): string[] => {
  const fields = Object.entries(told);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`);
};

/** One job for people, with its first bad rows. */
export const jobText = ({ errors, ...told }: ToldWholeJob): string => {
  const shown = errors.slice(0, shownErrors).map(({ row, error }) => `  row ${row}: ${error}`);
  const more = told.error_rows - shown.length;
  return [
    ...lines(told),
    ...(shown.length > 0 ? ['', 'bad rows:', ...shown] : []),
    ...(more > 0 ? [`  and ${more} more: popsvc jobs errors ${told.job_id}`] : []),
  ].join('\n');
};
