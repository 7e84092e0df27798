import { z } from 'zod';
import type { DatasetColumn, Dataset } from '@popsvc/read-models/datasets';

const shapes: Readonly<Record<DatasetColumn['valueKind'], () => z.ZodType>> = {
  whole: () => z.int(),
  fraction: () => z.number(),
  text: () => z.string(),
  truth: () => z.boolean(),
  texts: () => z.array(z.string()),
  fractions: () => z.array(z.number()),
};

const shapeOf = ({ type, valueKind: valueKind, vocabulary: vocabulary }: DatasetColumn): z.ZodType => {
  if (vocabulary) return z.enum(vocabulary as [string, ...string[]]);
  if (type === 'timestamp') return z.iso.datetime({ offset: true });
  return type === 'date' ? z.iso.date() : shapes[valueKind]();
};

const fieldOf = (column: DatasetColumn): z.ZodType => {
  const shape = shapeOf(column);
  return (column.isNullable ? shape.nullable() : shape).describe(column.about);
};

/** A row of a report in JSON: every column of the dataset, with its type and meaning. */
export const rowOf = ({ columns }: Pick<Dataset, 'columns'>): z.ZodObject =>
  z.object(Object.fromEntries(columns.map((column) => [column.name, fieldOf(column)])));
