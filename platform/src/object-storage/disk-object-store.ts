import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ObjectNotFound, ObjectTooLarge, type ReceivedObject, type ReceivingObjectStore } from './port.ts';

/** Nobody writes to a file for so long and comes back: uploads end after half a minute without a byte. */
const abandonedAfterMs = 600_000;

const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');

/** A name for a file on its way in; it tells who writes it. */
const draftName = (): string => `${host}.${process.pid}.${randomUUID()}`;

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
const clearIncoming = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir))
    // A draft that is gone by now was finished by its writer.
    if (await isLeftover(dir, name).catch(() => false)) await rm(join(dir, name), { force: true });
};

const keyForm = /^uploads(\/[A-Za-z0-9][A-Za-z0-9_-]*)+$/;

/** The file a key stands for. A key of any other form never reaches the disk, whoever made it. */
const objectPath = (dir: string, key: string): string => {
  if (!keyForm.test(key)) throw new RangeError('not the key of an upload');
  return join(dir, ...key.split('/'));
};

interface Destination {
  /** Where it is written until it is whole; on the same file system. */
  readonly draft: string;
  readonly path: string;
  /** The folder that is known to be durable; those between it and the file may be new. */
  readonly root: string;
}

const pour = async (draft: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject> => {
  const hash = createHash('sha256');
  const file = await open(draft, 'wx', 0o600);
  let sizeBytes = 0;
  try {
    for await (const chunk of content) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new ObjectTooLarge(`more than ${maxBytes} bytes`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
};

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Writes a file that is there whole and for good, or not at all. One chunk is in hand at a time. */
const writeDurably = async (
  { draft, path, root }: Destination,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ReceivedObject> => {
  try {
    const received = await pour(draft, content, maxBytes);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    // A new folder is durable once the one above it is written.
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) await syncFolder(folder);
    return received;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const fileFacts = async (path: string) => {
  try {
    const found = await stat(path, { bigint: true });
    return found.isFile() ? found : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Objects as files under `dir`/uploads, which may be shared by several processes. */
export const openDiskObjectStore = async (dir: string): Promise<ReceivingObjectStore> => {
  const root = resolve(dir);
  const uploads = join(root, 'uploads');
  const incoming = join(uploads, '.incoming');
  await mkdir(uploads, { recursive: true, mode: 0o700 });
  await clearIncoming(incoming);
  return {
    kind: 'disk',
    async readMetadata(key) {
      const found = await fileFacts(objectPath(root, key));
      return (
        found && {
          sizeBytes: Number(found.size),
          tag: `${found.ino}-${found.mtimeNs}-${found.size}`,
          storedAtMs: Number(found.mtimeMs),
        }
      );
    },
    async read(key, signal) {
      const path = objectPath(root, key);
      if (!(await fileFacts(path))) throw new ObjectNotFound(key);
      try {
        return (await open(path)).createReadStream({ signal, highWaterMark: 262_144 });
      } catch (error) {
        throw isMissing(error) ? new ObjectNotFound(key, { cause: error }) : error;
      }
    },
    receive: (key, content, maxBytes) =>
      writeDurably(
        { draft: join(incoming, draftName()), path: objectPath(root, key), root: uploads },
        content,
        maxBytes,
      ),
    removeAbandonedUploads: () => clearIncoming(incoming),
    async remove(key) {
      await rm(objectPath(root, key), { recursive: true, force: true });
    },
    ping: () => access(incoming, constants.W_OK),
    close: () => Promise.resolve(),
  };
};
