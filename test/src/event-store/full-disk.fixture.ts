import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import sinon from 'sinon';

/** Lets all writes to files fail as on a full disk, after the first `room` bytes. Bytes that already exist can be overwritten. */
export const fillDisk = (room: number): void => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  let left = room;
  const write = fs.write.bind(fs) as (...args: unknown[]) => void;
  type Done = (error: Error | null, written?: number) => void;
  const limited = (fd: number, bytes: Buffer, at: number, length: number, position: number, done: Done): void => {
    const added = Math.max(0, position + length - fs.fstatSync(fd).size);
    const allowed = added === 0 ? length : Math.min(length, length - added + left);
    if (allowed <= 0) {
      done(full);
      return;
    }
    left -= Math.max(0, allowed - (length - added));
    write(fd, bytes, at, allowed, position, done);
  };
  sinon.stub(fs, 'write').callsFake(limited as unknown as typeof fs.write);
  sinon.stub(fs.promises, 'open').rejects(full);
  syncBuiltinESMExports();
};

export const makeRoom = (): void => {
  sinon.restore();
  syncBuiltinESMExports();
};
