import { cellLetters, CELLS } from '@popsvc/contracts/completeness';
import { parseInstant, parseNetworkId, parseWholeNumber } from '../option-values.ts';
import { alignColumns } from '../output/format.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { dataOf, type OpsQuery, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

type Completeness = OpsSchema<'Completeness'>;

const hourMs = 3_600_000;
const hoursPerDay = 24;

/** `letters` has one letter for each hour since `from`. */
const separateDays = (letters: string, from: string): string => {
  const firstHour = new Date(from).getUTCHours();
  return Array.from(letters)
    .map((letter, index) => (index > 0 && (firstHour + index) % hoursPerDay === 0 ? ` ${letter}` : letter))
    .join('');
};

/** A date such as `08-31`, and the space after it. */
const dateWidth = 6;

/** Omits the date of the first day if this day is too short for it. */
const formatDates = ({ from, hours }: Completeness): string => {
  const columnOfHour = Array.from(separateDays('x'.repeat(hours), from)).flatMap((letter, column) =>
    letter === 'x' ? [column] : [],
  );
  const secondDay = columnOfHour[hoursPerDay - new Date(from).getUTCHours()] ?? dateWidth;
  let line = '';
  for (const [hour, column] of columnOfHour.entries()) {
    const at = new Date(Date.parse(from) + hour * hourMs);
    if (hour === 0 ? secondDay >= dateWidth : at.getUTCHours() === 0)
      line = line.padEnd(column) + at.toISOString().slice(5, 10);
  }
  return line;
};

const formatLegend = (totals: Completeness['totals']): string =>
  cellLetters.map((letter) => `${letter} ${CELLS[letter].name} ${totals[CELLS[letter].name]}`).join('   ');

const formatMap = (completeness: Completeness): string => {
  const { screens, from, totals, expected_hours: expected, played_hours: played } = completeness;
  if (screens.length === 0) return 'There are no such screens.';
  const lines = screens.map(({ screen_id: id, device_name: device, site_name: site, cells }) => [
    id,
    device,
    site,
    separateDays(cells, from),
  ]);
  return [
    ...alignColumns([['SCREEN', 'DEVICE', 'SITE', formatDates(completeness)], ...lines]),
    '',
    `${formatLegend(totals)}   (hours, UTC)`,
    `plays in ${played} of the ${expected} opening hours that have begun`,
  ].join('\n');
};

interface Options extends Omit<OpsQuery<'/ops/v1/completeness'>, 'site_id'> {
  readonly site?: number;
}

export const addCompletenessCommand = (program: OpsCommand): void => {
  program
    .command('completeness')
    .description('map of what each screen of a network did in each hour')
    .requiredOption('--network <id>', 'network of the screens', parseNetworkId)
    .option('--from <instant>', 'start, rounded down to the hour; default: 48 hours before --to', parseInstant)
    .option('--to <instant>', 'end, rounded up to the hour; default: the end of the current hour', parseInstant)
    .option('--site <id>', 'only screens whose latest site this is', parseWholeNumber(1))
    .addOption(limitOption('screens', 200))
    .addOption(afterOption())
    .request(async (ops, { site, ...options }: Options) => {
      const query = { ...options, ...(site !== undefined && { site_id: [site] }) };
      const value = await dataOf(ops.GET('/ops/v1/completeness', { params: { query } }));
      return { value, text: formatMap(value), note: nextPageNote(value, 'There are more screens') };
    });
};
