import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Nobody writes to a file for so long and comes back: uploads end after half a minute without a byte. */
const abandonedAfterMs = 600_000;

const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');

/** A name for a file on its way in; it tells who writes it. */
export const draftName = (): string => `${host}.${process.pid}.${randomUUID()}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Whether a draft's writer is gone. Process ids are told apart on this machine alone, and come again: so age counts, too. */
const isLeftover = async (dir: string, name: string): Promise<boolean> => {
  const [writerHost, pid] = name.split('.');
  if (writerHost === host && Number(pid) !== process.pid && !isAlive(Number(pid))) return true;
  const { mtimeMs } = await stat(join(dir, name));
  return Date.now() - mtimeMs > abandonedAfterMs;
};

/** Makes the folder of drafts and takes away what killed processes left in it. */
export const clearIncoming = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir))
    // A draft that is gone by now was finished by its writer.
    if (await isLeftover(dir, name).catch(() => false)) await rm(join(dir, name), { force: true });
};
