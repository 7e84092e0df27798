import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessAlive, OperatorError, readProcessStart } from '@popsvc/platform/runtime';

const hasProc = existsSync('/proc/self');

const parentSetting = 'popsvc.parent';

export const describeParent = (): Readonly<Record<string, string>> => ({
  [parentSetting]: `${process.pid}:${readProcessStart(process.pid) ?? ''}`,
});

/**
 * PostgreSQL does not exit when its parent is killed. Throws if the parent is another process that is alive: another running instance of
 * the service.
 */
export const stopOrphanedServer = async (cluster: string): Promise<void> => {
  const file = join(cluster, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 1) return;
  const command = isProcessAlive(pid) ? await readCommandLine(pid) : '';
  // Another program can have the process id of a server that has ended. PostgreSQL would refuse to start while that program runs.
  if (hasProc ? findProcessesIn(cluster).includes(pid) : command.includes(cluster)) {
    const [, parent, startTime] = new RegExp(`${parentSetting}=(\\d+):?(\\d*)`).exec(command) ?? [];
    if (Number(parent) !== process.pid && isProcessAlive(Number(parent), startTime))
      throw new OperatorError(
        `${cluster} is in use by a running service (process ${parent}); stop it or start with another DATA_DIR`,
      );
    await stopServer(pid, cluster);
  }
  await removeStalePidFile(cluster, file);
};

/** SIGINT requests a fast shutdown, SIGQUIT an immediate one. No committed transaction is lost, even with SIGKILL. */
const stopServer = async (pid: number, cluster: string): Promise<void> => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (isProcessAlive(pid)) process.kill(pid, signal);
    if (await waitUntil(() => !isProcessAlive(pid), 5_000)) return;
  }
  throw new OperatorError(`PostgreSQL process ${pid} still uses ${cluster} and did not stop; end it and start again`);
};

/**
 * A killed server stays a zombie until its parent reaps it, which in a container may never happen. PostgreSQL would mistake the zombie
 * for a running server and refuse to start.
 */
const removeStalePidFile = async (cluster: string, file: string): Promise<void> => {
  if (!existsSync(file) || !hasProc) return;
  const isUnused = () => findProcessesIn(cluster).length === 0;
  if (!(await waitUntil(isUnused, 3_000))) {
    for (const pid of findProcessesIn(cluster)) process.kill(pid, 'SIGKILL');
    if (!(await waitUntil(isUnused, 3_000)))
      throw new OperatorError(
        `processes ${findProcessesIn(cluster).join(', ')} of a killed PostgreSQL server still use ${cluster}; end them and start again`,
      );
  }
  rmSync(file, { force: true });
};

/** The working directory of the server's processes is the cluster. */
const findProcessesIn = (cluster: string): number[] => {
  const real = realpathSync(cluster);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isServer = readFileSync(`/proc/${name}/comm`, 'utf8').trim() === 'postgres';
      return isServer && readlinkSync(`/proc/${name}/cwd`) === real ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
};

const waitUntil = async (holds: () => boolean, timeoutMs: number): Promise<boolean> => {
  const deadline = Date.now() + timeoutMs;
  while (!holds() && Date.now() < deadline) await sleep(25);
  return holds();
};

const readCommandLine = async (pid: number): Promise<string> => {
  const file = `/proc/${pid}/cmdline`;
  if (hasProc) return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : '';
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout;
};
