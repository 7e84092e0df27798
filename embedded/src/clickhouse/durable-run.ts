import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import { z } from 'zod';

const DurableRun = z.object({
  /** Time since which nothing that ClickHouse acknowledged can have been lost, in ms since 1970. */
  since: z.int().min(1),
  /** Id of the boot of the machine; null if unknown. */
  boot: z.string().nullable(),
  isStopped: z.boolean(),
});
type DurableRun = z.infer<typeof DurableRun>;

const pathIn = (dir: string): string => join(dir, 'durable-run.json');

const readBoot = (): string | null => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
};

/** A missing or damaged file begins a new run. */
const readStored = async (dir: string): Promise<DurableRun | undefined> =>
  DurableRun.safeParse(await readJsonFile(pathIn(dir)).catch(() => undefined)).data;

/**
 * A kill of ClickHouse loses nothing that was acknowledged, because the kernel has the data. A crash of the machine may lose data that was
 * only in the cache of the disk, so the next start begins a new run.
 */
export const openDurableRun = async (dir: string): Promise<DurableRun> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const [stored, boot] = [await readStored(dir), readBoot()];
  const isKept = stored !== undefined && (stored.isStopped || (boot !== null && stored.boot === boot));
  const run = { since: isKept ? stored.since : Date.now(), boot, isStopped: false };
  await writeJsonFile(pathIn(dir), run);
  return run;
};

/** Call it when ClickHouse has stopped without an error. */
export const recordStop = (dir: string, run: DurableRun): Promise<void> =>
  writeJsonFile(pathIn(dir), { ...run, isStopped: true });
