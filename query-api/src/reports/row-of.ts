import { z } from 'zod';
import type { Column, Dataset } from '@popsvc/read-models/datasets';

const shapes: Readonly<Record<Column['holds'], () => z.ZodType>> = {
  whole: () => z.int(),
  fraction: () => z.number(),
  text: () => z.string(),
  truth: () => z.boolean(),
  texts: () => z.array(z.string()),
  fractions: () => z.array(z.number()),
};

const shapeOf = ({ type, holds, words }: Column): z.ZodType => {
  if (words) return z.enum(words as [string, ...string[]]);
  if (type === 'timestamp') return z.iso.datetime({ offset: true });
  return type === 'date' ? z.iso.date() : shapes[holds]();
};

/** A value may be missing where the SQL that makes it can give NULL: there is no other place that says so. */
const mayBeNull = ({ sql }: Column): boolean => /NULL|OrNull|nullIf|Nullable/.test(sql);

const fieldOf = (column: Column): z.ZodType => {
  const shape = shapeOf(column);
  return (mayBeNull(column) ? shape.nullable() : shape).describe(column.about);
};

/** A row of a report in JSON: every column of the dataset, with its type and meaning. */
export const rowOf = ({ columns }: Pick<Dataset, 'columns'>): z.ZodObject =>
  z.object(Object.fromEntries(columns.map((column) => [column.name, fieldOf(column)])));
