import { Readable } from 'node:stream';
import { BulkJob } from '@popsvc/contracts/bulk';
import { Option } from 'commander';
import { parseNetworkId } from '../option-values.ts';
import { alignColumns, formatCell, formatTable } from '../output/format.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { pipeToStdout } from '../output/print.ts';
import { type Connect, dataOf, type OpsQuery, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

const listFields = [
  'job_id',
  'status',
  'progress_percent',
  'processed_rows',
  'error_rows',
  'total_rows',
  'network_id',
  'vendor',
  'schema_version',
  'file_name',
  'queued_at',
];

const maxShownErrors = 10;

const formatJob = ({ errors, warnings, ...job }: OpsSchema<'ShownJob'>): string => {
  const shown = errors.slice(0, maxShownErrors).map(({ row, error }) => `  row ${row}: ${error}`);
  const hidden = job.error_rows - shown.length;
  return [
    ...alignColumns(Object.entries(job).map(([name, value]) => [name, formatCell(value)])),
    ...(warnings.length > 0
      ? ['', 'warnings:', ...warnings.map(({ row, message }) => `  row ${row}: ${message}`)]
      : []),
    ...(job.warning_count > warnings.length ? [`  and ${job.warning_count - warnings.length} more`] : []),
    ...(shown.length > 0 ? ['', 'bad rows:', ...shown] : []),
    ...(hidden > 0 ? [`  and ${hidden} more: popsvc jobs errors ${job.job_id}`] : []),
  ].join('\n');
};

export const addJobsCommands = (program: OpsCommand, connect: Connect): void => {
  const group = program.command('jobs').description('bulk jobs, which ingest the files of vendors');

  group
    .command('list')
    .description('bulk jobs and their status, newest first')
    .option('--network <id>', 'only jobs of this network', parseNetworkId)
    .option('--vendor <code>', 'only jobs of this vendor')
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(BulkJob.shape.status.options))
    .addOption(limitOption('jobs', 100))
    .addOption(afterOption())
    .request(async (ops, query: OpsQuery<'/ops/v1/jobs'>) => {
      const value = await dataOf(ops.GET('/ops/v1/jobs', { params: { query } }));
      return {
        value,
        text: formatTable(value.jobs, listFields, 'There are no such bulk jobs.'),
        note: nextPageNote(value, 'There are older jobs'),
      };
    });

  group
    .command('show')
    .description('a bulk job as recorded in the log, with its first bad rows')
    .argument('<job-id>', 'id that the vendor received')
    .request(async (ops, id: string) => {
      const value = await dataOf(ops.GET('/ops/v1/jobs/{id}', { params: { path: { id } } }));
      return { value, text: formatJob(value) };
    });

  group
    .command('errors')
    .description(
      'the first 100,000 bad rows of a bulk job, one JSON object a line: popsvc jobs errors JOB_ID > errors.ndjson',
    )
    .argument('<job-id>', 'id that the vendor received')
    .action(async (id: string) => {
      const { ops } = await connect();
      const init = { params: { path: { id } }, parseAs: 'stream' } as const;
      const { data } = await ops.GET('/ops/v1/jobs/{id}/errors', init);
      if (data) await pipeToStdout(Readable.fromWeb(data));
    });
};
