import { columns } from '../program/columns.ts';
import type { SampleReport } from './try-sample.ts';

const number = new Intl.NumberFormat('en-GB');
const counted = (count: number, one: string): string => `${number.format(count)} ${count === 1 ? one : `${one}s`}`;

/** What a mapping makes of a sample, for people. */
export const toldSample = (report: SampleReport): string => {
  const { rows, plays, distinct, bad, bad_rows: badRows, bad_by_code: byCode, fields, first_plays: first } = report;
  const table = columns(
    fields.map((field) => ({ ...field, examples: field.examples.join(' | ') || undefined })),
    ['field', 'found', 'missing', 'unparsable', 'examples'],
    'The file has no row that can be read.',
  );
  const problems = fields.flatMap((field) => field.problems.map((problem) => `  ${problem}`));
  const codes = Object.entries(byCode).map(([code, count]) => `${number.format(count)} ${code}`);
  return [
    table,
    ...(problems.length > 0 ? ['', 'What could not be read, for example:', ...problems] : []),
    '',
    `${counted(rows, 'row')}: ${counted(plays, 'play')} (${number.format(distinct)} distinct), ${number.format(bad)} bad` +
      (codes.length > 0 ? ` (${codes.join(', ')})` : ''),
    ...badRows.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(first[0] ? ['', 'The first play:', JSON.stringify(first[0], null, 2)] : []),
  ].join('\n');
};
