import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, OperatorError } from '@popsvc/platform/runtime';
import { lockFile } from '../kernel-lock.ts';

/** The message names the process that has locked the data folder, if it is known. */
class FolderInUseError extends OperatorError {
  override readonly name = 'FolderInUseError';
}

export const lockFileName = 'popsvc.lock';

export const isDataFolderLocked = (dataDir: string): boolean => {
  const lock = lockFile(join(dataDir, lockFileName), 'shared');
  lock?.release();
  return lock === undefined;
};

interface Holder {
  readonly pid: number;
  readonly host: string;
}

export const lockDataFolder = async (dataDir: string): Promise<{ readonly release: () => void }> => {
  const path = join(dataDir, lockFileName);
  const lock = await lockWithRetries(path);
  if (lock) {
    // Other processes read this for their error message.
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder));
    return lock;
  }
  throw new FolderInUseError(
    `DATA_DIR ${dataDir} is in use by ${await describeHolder(path)}: stop that process, or start with another DATA_DIR`,
  );
};

const probeTimeoutMs = 300;

/** Retries, because `isDataFolderLocked` of another process holds a shared lock for a moment. */
const lockWithRetries = async (path: string): Promise<ReturnType<typeof lockFile>> => {
  const deadline = Date.now() + probeTimeoutMs;
  let lock = lockFile(path);
  while (!lock && Date.now() < deadline) {
    await sleep(20);
    lock = lockFile(path);
  }
  return lock;
};

const recordTimeoutMs = 200;

/** Retries, because a process writes its id into the file only after it has the lock. */
const describeHolder = async (path: string): Promise<string> => {
  const deadline = Date.now() + recordTimeoutMs;
  while (Date.now() < deadline) {
    const holder = readHolder(path);
    if (holder && holder.host !== hostname()) return `process ${holder.pid} on ${holder.host}`;
    // Until the holder has written its id, the file may name an earlier holder, which has ended.
    if (holder && isProcessAlive(holder.pid)) return `process ${holder.pid}`;
    await sleep(10);
  }
  return 'another process';
};

const readHolder = (path: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
};
