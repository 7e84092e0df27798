import { readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectoryTree } from '@popsvc/platform/runtime';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';

describe('syncDirectoryTree', () => {
  afterEach(() => sinon.restore());

  it('syncs each directory of a tree, and none behind a link', async () => {
    const dir = await temporaryFolder('tree');
    await mkdir(join(dir, 'a/b'), { recursive: true });
    await mkdir(join(dir, 'c'));
    await symlink('a', join(dir, 'link'));
    await writeFile(join(dir, 'a/b/file'), '');
    const handle = await open(dir, 'r');
    await handle.close();
    const synced: string[] = [];
    sinon.stub(Object.getPrototypeOf(handle) as FileHandle, 'sync').callsFake(function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return this.datasync();
    });
    await syncDirectoryTree(dir);
    expect(synced).to.have.members([dir, join(dir, 'a'), join(dir, 'a/b'), join(dir, 'c')]);
  });
});
