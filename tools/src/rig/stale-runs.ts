import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { isProcessAlive, readProcessStart } from '@popsvc/platform/runtime';

export const memoryFileSystem = '/dev/shm';

const folderPrefix = 'popsvc-test-';

/** Returns the beginning of a folder's name that identifies the process which uses it: its id and its start time. */
export const nameRunFolder = (name: string): string =>
  `${folderPrefix}${process.pid}-${readProcessStart(process.pid) ?? ''}-${name}`;

/** Whether the process that created the folder has ended. An id alone does not identify a process: ids are used again. */
const isStale = (folder: string): boolean => {
  const [, pid, startTime = ''] = new RegExp(`^${folderPrefix}(\\d+)-(\\d*)-`).exec(folder) ?? [];
  return pid !== undefined && !isProcessAlive(Number(pid), startTime);
};

const list = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

const readProc = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
};

const listProcesses = (): readonly string[] => list('/proc').filter((name) => /^\d+$/.test(name));

/** Kills the processes that have a folder on their command line, such as NATS servers and browsers. They outlive a killed run. */
const killProcessesOf = (dir: string): void => {
  for (const pid of listProcesses())
    if (readProc(pid, 'cmdline').includes(`${dir}/`)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
};

/** Removes the shared memory of PostgreSQL servers that were killed: older than every server that runs, and mapped by no process. */
const removeSharedMemory = async (): Promise<void> => {
  const segments = list(memoryFileSystem).filter((name) => name.startsWith('PostgreSQL.'));
  if (segments.length === 0) return;
  const processes = listProcesses();
  const mapped = new Set(processes.flatMap((pid) => readProc(pid, 'maps').match(/\/dev\/shm\/PostgreSQL\.\d+/g) ?? []));
  const servers = processes.filter((pid) => readProc(pid, 'comm').trim() === 'postgres');
  // Linux counts 100 clock ticks a second.
  const bootMs = Date.now() - uptime() * 1000;
  const oldestServerMs = Math.min(...servers.map((pid) => bootMs + Number(readProcessStart(Number(pid)) ?? 0) * 10));
  for (const name of segments) {
    const path = join(memoryFileSystem, name);
    const createdMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (createdMs < oldestServerMs && !mapped.has(path)) await rm(path, { force: true });
  }
};

/** Removes what killed test runs left: their processes, their folders on disk and in memory, and the shared memory of their PostgreSQL. */
export const removeStaleRuns = async (): Promise<void> => {
  for (const parent of new Set([tmpdir(), memoryFileSystem]))
    for (const name of list(parent).filter(isStale)) {
      const dir = join(parent, name);
      await stopOrphanedServer(join(dir, 'cluster'));
      killProcessesOf(dir);
      // Removal fails if another run removes the folder at the same time, or if a process of the killed run still writes to it. The error
      // is ignored, because the next run retries.
      await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
  await removeSharedMemory();
};
