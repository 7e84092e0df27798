import { cell } from './cell.ts';

/** Rows under the headings of the named fields; `none` stands for an empty list. */
export const columns = (rows: readonly object[], fields: readonly string[], none: string): string => {
  if (rows.length === 0) return none;
  const lines = [
    fields.map((field) => field.toUpperCase()),
    ...rows.map((row) => fields.map((field) => cell((row as Record<string, unknown>)[field]))),
  ];
  const widths = fields.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
