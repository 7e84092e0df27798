import { resolve } from 'node:path';
import { describeFailure, onParentExit } from '@popsvc/platform/runtime';
import { type BackupSummary, createBackup } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { type BackupReport, verifyBackup } from './verify-backup.ts';

/** The program prints the result as one JSON line. Exit codes: 0 success, 1 `verify` found problems, 2 the command failed. */
const run = async ([command, ...args]: readonly string[]): Promise<BackupSummary | BackupReport> => {
  const [first = '', second = ''] = args.map((path) => (path.startsWith('--') ? path : resolve(path)));
  if (command === 'create')
    return createBackup({
      dataDir: first,
      folder: second,
      withReadModels: !args.includes('--without-read-models'),
    });
  if (command === 'verify') return verifyBackup(first);
  if (command === 'restore') return restoreBackup(first, second);
  throw new Error(`unknown command ${String(command)}`);
};

onParentExit(process.env, () => process.exit(2));
try {
  const result = await run(process.argv.slice(2));
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = 'problems' in result && result.problems.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 2;
}
process.stdin.destroy();
