import fs from 'node:fs';
import { DataType, load, open } from 'ffi-rs';

/** Operations of flock(2); the numbers are the same on Linux and macOS. */
const lockShared = 1;
const lockExclusive = 2;
const lockNonBlocking = 4;

const library = 'libc';
let isOpen = false;

const flock = (fd: number, operation: number, path: string): boolean => {
  // An empty path opens the symbols of this process, which include the C library.
  if (!isOpen) open({ library, path: '' });
  isOpen = true;
  const { value, errnoCode, errnoMessage } = load({
    library,
    funcName: 'flock',
    retType: DataType.I32,
    paramsType: [DataType.I32, DataType.I32],
    paramsValue: [fd, operation | lockNonBlocking],
    errno: true,
  }) as { readonly value: number; readonly errnoCode: number; readonly errnoMessage: string };
  if (value === 0) return true;
  // EWOULDBLOCK is 11 on Linux and 35 on macOS.
  if (errnoCode === 11 || errnoCode === 35) return false;
  throw new Error(`${path} cannot be locked: ${errnoMessage}`);
};

const openFlags = {
  exclusive: fs.constants.O_RDWR | fs.constants.O_CREAT,
  // The file may be on a file system that is mounted read-only.
  shared: fs.constants.O_RDONLY,
};

/**
 * Returns undefined if a conflicting lock is held, even by a process in another container that shares the volume. The kernel releases the
 * lock when its process ends.
 */
export const lockFile = (
  path: string,
  mode: 'exclusive' | 'shared' = 'exclusive',
): { readonly release: () => void } | undefined => {
  let fd: number;
  try {
    fd = fs.openSync(path, openFlags[mode], 0o600);
  } catch (error) {
    if (mode === 'shared' && (error as NodeJS.ErrnoException).code === 'ENOENT') return { release: () => undefined };
    throw error;
  }
  try {
    if (flock(fd, mode === 'exclusive' ? lockExclusive : lockShared, path)) return { release: () => fs.closeSync(fd) };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
};
