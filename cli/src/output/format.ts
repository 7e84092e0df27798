import stringWidth from 'string-width';
import { escapeCell } from './control-characters.ts';

export const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Wide characters, such as Chinese ones, take two columns. */
const padToWidth = (text: string, width: number): string => text + ' '.repeat(width - stringWidth(text));

/** Every line must have the same number of cells. */
export const alignColumns = (texts: readonly (readonly string[])[]): string[] => {
  const lines = texts.map((cells) => cells.map(escapeCell));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => stringWidth(cells[column]!))));
  return lines.map((cells) =>
    cells
      .map((cell, column) => padToWidth(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
};

export const formatTable = (rows: readonly object[], fields: readonly string[], emptyText: string): string => {
  if (rows.length === 0) return emptyText;
  const heading = fields.map((field) => field.toUpperCase());
  const cells = rows.map((row) => fields.map((field) => formatCell((row as Record<string, unknown>)[field])));
  return alignColumns([heading, ...cells]).join('\n');
};

const numberFormat = new Intl.NumberFormat('en-GB');

export const formatNumber = (value: number): string => numberFormat.format(value);

const durationUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** For example, `2 d 4 h`, `5 min 30 s` or `0 s`. */
export const formatDuration = (seconds: number): string => {
  let rest = Math.floor(seconds);
  const parts = durationUnits.map(([unit, unitSeconds]) => {
    const count = Math.floor(rest / unitSeconds);
    rest -= count * unitSeconds;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  return parts
    .slice(first === -1 ? -1 : first, first === -1 ? undefined : first + 2)
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ');
};
