import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../supervisor/index.ts';

/** Set on the server's command line, so that a server can be told from the one of a service that still runs. */
export const PARENT_SETTING = 'popsvc.parent';

/**
 * Stops the server that a killed parent left behind on this cluster: PostgreSQL does not end with its parent. One whose
 * parent still lives belongs to another running service, and is left alone: throws.
 */
export const stopOrphanedServer = async (cluster: string): Promise<void> => {
  const file = join(cluster, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 1) return;
  const command = await commandLine(pid);
  if (command === '' && existsSync('/proc/self') && isAlive(pid)) return forgetDead(pid, cluster, file);
  // The number may be another program's by now; then the file is merely stale, and PostgreSQL itself removes it.
  if (!command.includes(cluster)) return;
  const parent = Number(new RegExp(`${PARENT_SETTING}=(\\d+)`).exec(command)?.[1]);
  if (parent !== process.pid && isAlive(parent))
    throw new Error(`${cluster} is in use by a service that is running (process ${parent})`);
  // Fast, then at once: both keep every committed transaction.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) if (await endsAfter(pid, signal, 5_000)) return;
  throw new Error(`process ${pid} holds ${cluster} and cannot be stopped`);
};

/**
 * A killed server whose parent is gone too stays in the process table until somebody reaps it, which a container's first
 * process may do late or never; PostgreSQL takes its number for a running server. What it left may only be forgotten once
 * none of its children works in the cluster any more.
 */
const forgetDead = async (pid: number, cluster: string, file: string): Promise<void> => {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline) {
    if (!isAlive(pid)) return;
    if (worksIn(cluster).length === 0) {
      rmSync(file, { force: true });
      return;
    }
    await sleep(25);
  }
  throw new Error(`processes ${worksIn(cluster).join(', ')} of a killed PostgreSQL still use ${cluster}`);
};

/** PostgreSQL's processes have their cluster as working directory. */
const worksIn = (cluster: string): string[] => {
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

const endsAfter = async (pid: number, signal: NodeJS.Signals, milliseconds: number): Promise<boolean> => {
  const deadline = Date.now() + milliseconds;
  if (isAlive(pid)) process.kill(pid, signal);
  while (isAlive(pid) && Date.now() < deadline) await sleep(25);
  return !isAlive(pid);
};

const commandLine = async (pid: number): Promise<string> => {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self')) return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : '';
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout;
};
