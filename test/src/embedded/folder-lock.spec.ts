import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataFolder } from '@popsvc/embedded/start';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';

interface KernelLock {
  readonly lockFile: (path: string, mode?: 'exclusive' | 'shared') => { readonly release: () => void } | undefined;
}

describe('the lock of DATA_DIR', () => {
  let lockFile: KernelLock['lockFile'];
  before(async () => {
    const url = new URL('../../../embedded/dist/kernel-lock.js', import.meta.url);
    ({ lockFile } = (await import(url.href)) as KernelLock);
  });

  it('waits for another process that holds a shared lock for a moment, as a backup does', async () => {
    const dataDir = await temporaryFolder('locked');
    const path = join(dataDir, 'popsvc.lock');
    await writeFile(path, '');
    const probe = lockFile(path, 'shared')!;
    const locking = lockDataFolder(dataDir);
    probe.release();
    (await locking).release();
  });

  it('is refused while another process holds it', async () => {
    const dataDir = await temporaryFolder('locked');
    const { release } = await lockDataFolder(dataDir);
    const error: unknown = await lockDataFolder(dataDir).catch((thrown: unknown) => thrown);
    release();
    expect(String(error)).to.include(`DATA_DIR ${dataDir} is in use by process ${process.pid}`);
  });
});
