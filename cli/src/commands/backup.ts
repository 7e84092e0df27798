import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { runTool } from '../embedded-tool.ts';
import { CliError } from '../output/cli-error.ts';
import { formatNumber } from '../output/format.ts';
import { printResult } from '../output/print.ts';

const BackupSummary = z.object({
  folder: z.string(),
  created_at: z.string(),
  read_models: z.boolean(),
  log_end: z.number(),
  files: z.number(),
  bytes: z.number(),
});
type BackupSummary = z.output<typeof BackupSummary>;
const BackupReport = BackupSummary.extend({ problems: z.array(z.string()) });

const describeBackup = ({ folder, created_at: createdAt, read_models: hasReadModels, ...backup }: BackupSummary) =>
  `${folder}: ${formatNumber(backup.files)} files, ${formatNumber(backup.bytes)} bytes, begun ${createdAt}, ` +
  `log up to position ${backup.log_end}, ${hasReadModels ? 'with' : 'without'} read models`;

export const addBackupCommands = (program: Command, env: NodeJS.ProcessEnv): void => {
  const dataDir = () => resolve(env['DATA_DIR'] || '.data');
  const group = program.command('backup').description('backups of everything on this machine');

  group
    .command('create')
    .description('back up DATA_DIR while the service runs; the backup contains secrets')
    .argument('<folder>', 'folder to create; it may exist if it is empty')
    .option('--without-read-models', 'leave the tables of ClickHouse out; a restored service builds them from the log')
    .action(async (folder: string, options: { withoutReadModels?: true }, command: Command) => {
      const flags = options.withoutReadModels ? ['--without-read-models'] : [];
      const value = BackupSummary.parse(await runTool('backup', ['create', dataDir(), resolve(folder), ...flags]));
      printResult(command, { value, text: describeBackup(value) });
    });

  group
    .command('verify')
    .description('read every file of a backup; changes nothing; exit code 1 if the backup cannot be restored')
    .argument('<folder>', 'folder of the backup')
    .action(async (folder: string, _: object, command: Command) => {
      const value = BackupReport.parse(await runTool('backup', ['verify', resolve(folder)]));
      const { problems } = value;
      const findings = problems.length === 0 ? ['no damage'] : ['damaged:', ...problems.map((each) => `  ${each}`)];
      printResult(command, { value, text: [describeBackup(value), ...findings].join('\n') });
      if (problems.length > 0) throw new CliError(`the backup is damaged in ${problems.length} places`);
    });

  program
    .command('restore')
    .description('restore a backup into DATA_DIR, which must be empty; then start the service')
    .argument('<folder>', 'folder of the backup')
    .action(async (folder: string, _: object, command: Command) => {
      const value = BackupSummary.parse(await runTool('backup', ['restore', resolve(folder), dataDir()]));
      printResult(command, { value, text: `restored into ${dataDir()}:\n${describeBackup(value)}` });
    });
};
