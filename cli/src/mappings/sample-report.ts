import type { SampleReport } from '@popsvc/domain/mappings';
import { formatNumber, formatTable } from '../output/format.ts';

const formatCount = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Formats the report: a table of the fields, examples of unreadable values, the counts, the first bad rows and the first play. */
export const formatSampleReport = (report: SampleReport): string => {
  const { rows, plays, distinct, bad, bad_rows: badRows, bad_by_code: countByCode, fields } = report;
  const [firstPlay] = report.first_plays;
  const table = formatTable(
    fields.map((field) => ({ ...field, examples: field.examples.join(' | ') || undefined })),
    ['field', 'found', 'missing', 'unparsable', 'examples'],
    'The file has no readable rows.',
  );
  const problems = fields.flatMap((field) => field.problems.map((problem) => `  ${problem}`));
  const codes = Object.entries(countByCode).map(([code, count]) => `${formatNumber(count)} ${code}`);
  const badCounts = codes.length > 0 ? ` (${codes.join(', ')})` : '';
  return [
    table,
    ...(problems.length > 0 ? ['', 'Examples of unreadable values:', ...problems] : []),
    '',
    `${formatCount(rows, 'row')}: ${formatCount(plays, 'play')} (${formatNumber(distinct)} distinct), ${formatNumber(bad)} bad${badCounts}`,
    ...badRows.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(firstPlay ? ['', 'The first play:', JSON.stringify(firstPlay, null, 2)] : []),
  ].join('\n');
};
