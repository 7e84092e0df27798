import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, OperatorError, readProcessStart } from '@popsvc/platform/runtime';
import { clusterPath } from '../postgres/cluster.ts';
import { stopOrphanedServer } from '../postgres/orphaned-server.ts';
import type { ProcessLine } from '../supervisor/child-process.ts';

/** The processes of one `npm start`, except PostgreSQL, inherit this variable. Its value is the path of the data folder. */
const folderVariable = 'POPSVC_START_FOLDER';

const [endTimeoutMs, killTimeoutMs] = [2_000, 5_000];

/** The caller must hold the lock of the folder. On systems without /proc, stops only PostgreSQL. */
export const stopLeftovers = async (dataDir: string, printLine: (line: ProcessLine) => void): Promise<void> => {
  const folder = realpathSync(dataDir);
  await stopOrphanedServer(clusterPath(join(dataDir, 'postgres')));
  const found = findLeftovers(folder);
  const isRunning = () => found.filter(({ pid, startTime }) => isProcessAlive(pid, startTime));
  const waitForEnd = async (timeoutMs: number) => {
    for (const deadline = Date.now() + timeoutMs; isRunning().length > 0 && Date.now() < deadline;) await sleep(20);
  };
  await waitForEnd(endTimeoutMs);
  for (const { pid } of isRunning()) {
    printLine({
      name: 'start',
      from: 'supervisor',
      text: `killing process ${pid}, which an earlier start left behind`,
    });
    process.kill(pid, 'SIGKILL');
  }
  await waitForEnd(killTimeoutMs);
  const remaining = isRunning().map(({ pid }) => pid);
  if (remaining.length > 0)
    throw new OperatorError(
      `processes ${remaining.join(', ')} of an earlier start still use ${dataDir}; end them and start again`,
    );
  process.env[folderVariable] = folder;
};

interface FoundProcess {
  readonly pid: number;
  readonly startTime: string;
}

const findLeftovers = (folder: string): readonly FoundProcess[] => {
  if (!existsSync('/proc/self/environ')) return [];
  const marker = Buffer.from(`\0${folderVariable}=${folder}\0`);
  return readdirSync('/proc').flatMap((name) => {
    const startTime = /^\d+$/.test(name) ? readProcessStart(Number(name)) : undefined;
    if (startTime === undefined) return [];
    try {
      const variables = Buffer.concat([Buffer.of(0), readFileSync(`/proc/${name}/environ`)]);
      return variables.includes(marker) ? [{ pid: Number(name), startTime }] : [];
    } catch {
      return [];
    }
  });
};
