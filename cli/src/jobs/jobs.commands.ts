import { BulkJob } from '@popsvc/contracts/bulk';
import { type Command, Option } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { networkId, wholeNumber } from '../program/option-values.ts';
import { pass } from '../program/pass.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';
import { jobText, type ToldJob, type ToldWholeJob } from './job-text.ts';

interface Listed {
  readonly jobs: readonly ToldJob[];
  /** Where the next page begins; null on the last. */
  readonly next_before: string | null;
}

const fields = [
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

export const jobsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('jobs').description('bulk files that vendors handed over');
  const at = (id: string) => `/jobs/${encodeURIComponent(id)}`;

  group
    .command('list')
    .description('how bulk jobs stand, the newest first')
    .option('--network <id>', 'of this network', networkId)
    .option('--vendor <code>', 'of this vendor')
    .addOption(new Option('--status <status>', 'in this state').choices(BulkJob.shape.status.options))
    .option('--limit <n>', 'so many at most', wholeNumber(1, 1_000), 100)
    .option('--before <position>', 'older ones, from where the list before ended')
    .action(async (options: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<Listed>(withQuery('/jobs', options));
      print(command, { value, text: columns(value.jobs, fields, 'There are no such bulk jobs.') });
      if (value.next_before !== null) remark(`There are older ones: --before ${value.next_before}`);
    });

  group
    .command('show')
    .description('one bulk job as the log has it, with its first bad rows')
    .argument('<job-id>', 'as the vendor was told it')
    .action(async (id: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldWholeJob>(at(id));
      print(command, { value, text: jobText(value) });
    });

  group
    .command('errors')
    .description('every bad row of a bulk job, a JSON object a line: popsvc jobs errors JOB_ID > errors.ndjson')
    .argument('<job-id>', 'as the vendor was told it')
    .action(async (id: string) => {
      const { opsStream } = await connect();
      await pass(await opsStream(`${at(id)}/errors`));
    });
};
