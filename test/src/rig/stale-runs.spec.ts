import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameRunFolder, removeStaleRuns, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';

const parents = ['/dev/shm', tmpdir()].filter((path) => existsSync(path));

/** Returns the id of a process that has ended. */
const endedProcess = async (): Promise<number> => {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
};

describe('what killed test runs left', () => {
  it('is removed from disk and memory, with the processes that use it', async () => {
    const pid = await endedProcess();
    for (const parent of parents) {
      const dir = join(parent, `popsvc-test-${pid}-1-nats-abc`);
      mkdirSync(dir);
      const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', join(dir, 'store')]);
      await removeStaleRuns();
      await waitUntil(
        () => Promise.resolve(orphan.signalCode),
        (signal) => signal === 'SIGKILL',
      );
      expect(existsSync(dir)).to.equal(false);
    }
  });

  it('includes the folder of an earlier process with the id of a running one', async () => {
    const dir = join(tmpdir(), `popsvc-test-${process.pid}-1-used-again`);
    mkdirSync(dir);
    await removeStaleRuns();
    expect(existsSync(dir)).to.equal(false);
  });

  it('does not include folders of running processes', async () => {
    const dir = mkdtempSync(join(tmpdir(), `${nameRunFolder('mine')}-`));
    await removeStaleRuns();
    expect(existsSync(dir)).to.equal(true);
    rmSync(dir, { recursive: true });
  });

  it('includes the shared memory of PostgreSQL servers that have ended', async () => {
    const segment = '/dev/shm/PostgreSQL.1';
    writeFileSync(segment, '');
    utimesSync(segment, new Date(0), new Date(0));
    await removeStaleRuns();
    expect(existsSync(segment)).to.equal(false);
  });
});
