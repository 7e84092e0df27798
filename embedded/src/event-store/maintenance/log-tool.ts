import { repairLog } from './repair-log.ts';
import { verifyLog } from './verify-log.ts';

/** The program prints its report as one JSON line. Exit codes: 0 success, 1 `verify` found damage, 2 the command failed. */
const [command, dir] = process.argv.slice(2);

const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
};

const run = async (): Promise<boolean> => {
  if (dir === undefined) throw new Error('usage: log-tool.js verify|repair FOLDER');
  if (command === 'verify') {
    const report = await verifyLog(dir);
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return report.damages.length === 0;
  }
  if (command !== 'repair') throw new Error(`unknown command ${String(command)}`);
  process.stdout.write(`${JSON.stringify(await repairLog(dir, Date.now()))}\n`);
  return true;
};

await run().then((isWhole) => (process.exitCode = isWhole ? 0 : 1), fail);
