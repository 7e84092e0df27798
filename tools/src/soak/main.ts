import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from '../bench/harness/machine.ts';
import { bytesIn } from '../bench/rig/disk-use.ts';
import { makeRigFolder, removeRigFolder, sweepRigFolders } from '../bench/rig/rig-folder.ts';
import { endRun } from '../rig/run-end.ts';
import { startService } from '../rig/service-process.ts';
import { askOracle } from './ask-oracle.ts';
import { openComplaints } from './complaints.ts';
import { soakWish, type SoakWish } from './options.ts';
import { judged, resultsFile, tablesOf, writeResults } from './report.ts';
import { type SoakSystem, runSoak } from './run-soak.ts';

const say = (text: string): void => void process.stderr.write(text);
const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Resolves with whether nothing was wrong. */
const soaked = async (wish: SoakWish): Promise<boolean> => {
  const [atMs, before] = [Date.now(), machine()];
  const logFile = await resultsFile(atMs, 'log');
  const onLog = (line: string): void => {
    appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`);
  };
  await sweepRigFolders();
  const dataDir = makeRigFolder();
  const { all: complaints, complain } = openComplaints(say);
  say(`${wish.minutes} minutes, seed ${wish.seed}, ${wish.rate} plays a second; the service logs to ${logFile}\n`);
  const system: SoakSystem = { service: await startService({ dataDir, onLog }), onLog };
  const soak = await runSoak(system, wish, complain, say);
  const answers = await askOracle(system, soak, complain, say);

  const { flatness, wrong } = judged(soak.lives);
  for (const each of wrong) complain(`not flat: ${each}`);
  const folders = ['event-store', 'clickhouse', 'postgres', 'uploads'];
  const disk = await Promise.all(folders.map(async (name) => [name, await bytesIn(join(dataDir, name))] as const));
  const told = { atMs, wish, before, after: machine(), soak, flatness, answers, disk, complaints };
  const file = await writeResults(told);
  process.stdout.write(tablesOf(told));
  say(`${file}\n`);
  if (complaints.length === 0) await removeRigFolder(dataDir);
  else say(`The data is left in ${dataDir} until the next run.\n`);
  return complaints.length === 0;
};

const wished = (): SoakWish => {
  try {
    return soakWish(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
};

const isWell = await soaked(wished()).catch((error: unknown) => {
  say(`The soak could not go on: ${textOf(error)}\n`);
  return false;
});
await endRun();
process.exit(isWell ? 0 : 1);
