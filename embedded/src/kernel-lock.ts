import fs from 'node:fs';
import { DataType, load, open } from 'ffi-rs';

/** Operations of flock(2); the numbers are the same on Linux and macOS. */
const lockShared = 1;
const lockExclusive = 2;
const lockNonBlocking = 4;

const library = 'libc';
let isOpen = false;

/** Calls flock(2) without waiting. Returns false if another process holds a conflicting lock; throws if the call fails. */
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
 * Locks a file until `release` is called or the process ends, however it ends. Returns undefined if another process holds a
 * conflicting lock; any number of processes can hold a shared lock. The kernel keeps the lock, so the lock also works between containers
 * that share a volume. A file with a process id would not, because each container has its own process ids.
 *
 * If the file does not exist, an exclusive lock creates it. A shared lock of a missing file locks nothing, because no process can hold an
 * exclusive lock of it.
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
