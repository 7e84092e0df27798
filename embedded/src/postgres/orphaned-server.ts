import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../supervisor/child-process.ts';

/** Name of a setting on the server's command line. Its value is the process id of the server's parent. */
export const PARENT_SETTING = 'popsvc.parent';

/**
 * Stops a PostgreSQL server that still uses this cluster after its parent process was killed. PostgreSQL does not exit when its
 * parent exits. Throws if the parent is alive, because the server then belongs to another running instance of the service.
 */
export const stopOrphanedServer = async (cluster: string): Promise<void> => {
  const file = join(cluster, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 1) return;
  const command = await readCommandLine(pid);
  if (command === '' && existsSync('/proc/self') && isAlive(pid)) return removeStalePidFile(pid, cluster, file);
  // Another program now has the process id, so the pid file is stale. PostgreSQL itself removes it.
  if (!command.includes(cluster)) return;
  const parent = Number(new RegExp(`${PARENT_SETTING}=(\\d+)`).exec(command)?.[1]);
  if (parent !== process.pid && isAlive(parent))
    throw new Error(
      `${cluster} is in use by a running service (process ${parent}); stop it or start with another DATA_DIR`,
    );
  // SIGINT requests a fast shutdown, SIGQUIT an immediate one. No committed transaction is lost, not even after SIGKILL.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) if (await endsAfterSignal(pid, signal, 5_000)) return;
  throw new Error(`PostgreSQL process ${pid} still uses ${cluster} and did not stop; end it and start again`);
};

/**
 * Removes the pid file of a killed server as soon as no process of that server uses the cluster any more. If the server's parent is
 * gone, the killed server stays in the process table as a zombie until process 1 reaps it. In a container, this may happen late or
 * never. PostgreSQL would mistake the zombie for a running server and refuse to start.
 */
const removeStalePidFile = async (pid: number, cluster: string, file: string): Promise<void> => {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline) {
    if (!isAlive(pid)) return;
    if (findProcessesIn(cluster).length === 0) {
      rmSync(file, { force: true });
      return;
    }
    await sleep(25);
  }
  throw new Error(
    `processes ${findProcessesIn(cluster).join(', ')} of a killed PostgreSQL server still use ${cluster}; end them and start again`,
  );
};

/** Finds the processes of the cluster's PostgreSQL server. Their working directory is the cluster. */
const findProcessesIn = (cluster: string): string[] => {
  const real = realpathSync(cluster);
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`) === real;
    } catch {
      return false;
    }
  });
};

const endsAfterSignal = async (pid: number, signal: NodeJS.Signals, milliseconds: number): Promise<boolean> => {
  const deadline = Date.now() + milliseconds;
  if (isAlive(pid)) process.kill(pid, signal);
  while (isAlive(pid) && Date.now() < deadline) await sleep(25);
  return !isAlive(pid);
};

const readCommandLine = async (pid: number): Promise<string> => {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self')) return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : '';
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout;
};
