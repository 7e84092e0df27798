import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from '../bench/harness/stored-ratios.ts';
import { bytesIn } from '../bench/testbed/competitor.ts';
import { createDataFolder, removeDataFolder, removeStaleDataFolders } from '../bench/testbed/testbed.ts';
import { endRun } from '../rig/run-cleanup.ts';
import { startService } from '../rig/service-process.ts';
import { runOracle } from './oracle.ts';
import { evaluateRuns, createResultPath, formatReport, writeReport } from './report.ts';
import { parseSoakOptions, runSoak, type SoakOptions, type SoakSystem } from './run-soak.ts';

interface FailureLog {
  readonly failures: readonly string[];
  readonly addFailure: (text: string) => void;
}

/** Collects the failures of a run and prints each one immediately. */
const createFailureLog = (print: (text: string) => void): FailureLog => {
  const failures: string[] = [];
  return {
    failures,
    addFailure(text) {
      const failure = `${new Date().toISOString()} ${text}`;
      failures.push(failure);
      print(`FAILURE: ${failure}\n`);
    },
  };
};

const log = (text: string): void => void process.stderr.write(text);
const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Runs the soak test and writes its report; resolves with true if there were no failures. */
const runAndReport = async (options: SoakOptions): Promise<boolean> => {
  const [atMs, before] = [Date.now(), describeMachine()];
  const logFile = await createResultPath(atMs, 'log');
  const onLog = (line: string): void => {
    appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`);
  };
  await removeStaleDataFolders();
  const dataDir = createDataFolder();
  const { failures, addFailure } = createFailureLog(log);
  log(`${options.minutes} minutes, seed ${options.seed}, ${options.rate} plays per second; service log: ${logFile}\n`);
  const system: SoakSystem = { service: await startService({ dataDir, onLog }), onLog };
  const soak = await runSoak(system, options, addFailure, log);
  const checks = await runOracle(system, soak, addFailure, log);

  const { flatness, growth } = evaluateRuns(soak.runs);
  for (const each of growth) addFailure(`not flat: ${each}`);
  const folders = ['event-store', 'clickhouse', 'postgres', 'uploads'];
  const disk = await Promise.all(folders.map(async (name) => [name, await bytesIn(join(dataDir, name))] as const));
  const report = { atMs, options, before, after: describeMachine(), soak, flatness, checks, disk, failures };
  const file = await writeReport(report);
  process.stdout.write(formatReport(report));
  log(`${file}\n`);
  if (failures.length === 0) await removeDataFolder(dataDir);
  else log(`The data remains in ${dataDir}; the next run removes it.\n`);
  return failures.length === 0;
};

const readOptions = (): SoakOptions => {
  try {
    return parseSoakOptions(process.argv.slice(2));
  } catch (error) {
    log(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
};

const isPassed = await runAndReport(readOptions()).catch((error: unknown) => {
  log(`The soak test failed: ${textOf(error)}\n`);
  return false;
});
await endRun();
process.exit(isPassed ? 0 : 1);
