import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { runTool } from '../embedded-tool.ts';
import { CliError } from '../output/cli-error.ts';
import { formatNumber, formatTable } from '../output/format.ts';
import { printResult } from '../output/print.ts';

const Damage = z.object({
  file: z.string(),
  position: z.number().optional(),
  what: z.string(),
  eventsAfter: z.number().optional(),
});
type Damage = z.output<typeof Damage>;

const LogReport = z.object({
  dir: z.string(),
  segments: z.number(),
  events: z.number(),
  end: z.number(),
  damages: z.array(Damage),
  torn_bytes: z.number(),
  has_durable_end: z.boolean(),
});

const RepairReport = z.object({
  dir: z.string(),
  damages: z.array(z.string()),
  folder: z.string().nullable(),
  places: z.array(
    z.object({
      file: z.string(),
      from: z.number(),
      to: z.number(),
      after: z.string().nullable(),
      before: z.string().nullable(),
    }),
  ),
  revisions: z.array(z.object({ stream: z.string(), from: z.number(), to: z.number(), isCertain: z.boolean() })),
});

const describeDamage = ({ file, position, what, eventsAfter }: Damage): string => {
  const place = position === undefined ? file : `${file}, position ${position}`;
  return `  ${place}: ${what}${eventsAfter === undefined ? '' : `; ${formatNumber(eventsAfter)} whole events follow`}`;
};

const formatReport = ({ dir, segments, events, end, damages, ...report }: z.output<typeof LogReport>): string =>
  [
    `${dir}: ${formatNumber(events)} whole events in ${segments} segments, up to position ${end}`,
    ...(report.torn_bytes > 0
      ? [`${formatNumber(report.torn_bytes)} bytes of an unfinished write at the end: the next start cuts them`]
      : []),
    ...(report.has_durable_end ? [] : ['the file durable-end is missing or invalid: the next start writes it again']),
    ...(damages.length === 0 ? ['no damage'] : ['damaged:', ...damages.map(describeDamage)]),
  ].join('\n');

const formatRepair = ({ dir, damages, folder, places, revisions }: z.output<typeof RepairReport>): string => {
  if (folder === null) return `${dir}: no damage, nothing was changed`;
  const lost = revisions.map(({ from, to, isCertain, ...rest }) => ({
    ...rest,
    revisions: from === to ? String(from) : `${from} to ${to}`,
    source: isCertain ? 'the revisions around them' : 'damaged bytes: uncertain',
  }));
  return [
    'repaired:',
    ...damages.map((damage) => `  ${damage}`),
    '',
    `The files as they were are in ${folder}, with report.json.`,
    ...(places.length === 0
      ? ['No event is lost.']
      : [
          '',
          'Events are lost at:',
          ...places.map(
            ({ from, to, after, before }) =>
              `  positions ${from} to ${to}, appended between ${after ?? 'the start'} and ${before ?? 'the end'}`,
          ),
          '',
          formatTable(lost, ['stream', 'revisions', 'source'], 'The log does not show which events these were.'),
          '',
          'When the service starts, it counts the rows of these events in ClickHouse, and popsvc doctor shows how many there are.',
          'No replay of these projections begins by itself.',
        ]),
  ].join('\n');
};

export const addLogCommands = (program: Command, env: NodeJS.ProcessEnv): void => {
  const group = program.command('log').description('the files of the embedded event store');
  const folderOf = (argument: string | undefined): string =>
    resolve(argument ?? join(env['DATA_DIR'] || '.data', 'event-store'));

  group
    .command('verify')
    .description('check every record, also while the service runs; changes nothing; exit code 1 if the log is damaged')
    .argument('[folder]', 'folder of the log; default: event-store in DATA_DIR')
    .action(async (folder: string | undefined, _: object, command: Command) => {
      const value = LogReport.parse(await runTool('log', ['verify', folderOf(folder)]));
      printResult(command, { value, text: formatReport(value) });
      if (value.damages.length > 0) throw new CliError(`the log is damaged in ${value.damages.length} places`);
    });

  group
    .command('repair')
    .description('replace damaged records with gaps, while the service is stopped; keeps the files as they were')
    .argument('[folder]', 'folder of the log; default: event-store in DATA_DIR')
    .action(async (folder: string | undefined, _: object, command: Command) => {
      const value = RepairReport.parse(await runTool('log', ['repair', folderOf(folder)]));
      printResult(command, { value, text: formatRepair(value) });
    });
};
