import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isProcessAlive, syncDirectory } from '../runtime/index.ts';
import { ObjectNotFound, ObjectTooLarge, type ReceivedObject, type ReceivingObjectStore } from './port.ts';

/** A running upload writes to its draft more often: the server ends an upload after half a minute without data. */
const abandonedAfterMs = 600_000;

const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');

const draftName = (): string => `${host}.${process.pid}.${randomUUID()}`;

/** On another host, or after a reuse of the process id, only the age of a draft shows that its writer has ended. */
const isLeftover = async (dir: string, name: string): Promise<boolean> => {
  const [writerHost, pid] = name.split('.');
  if (writerHost === host && Number(pid) !== process.pid && !isProcessAlive(Number(pid))) return true;
  const { mtimeMs } = await stat(join(dir, name));
  return Date.now() - mtimeMs > abandonedAfterMs;
};

const clearIncoming = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir))
    // If the draft disappears during the check, its writer has ended the upload.
    if (await isLeftover(dir, name).catch(() => false)) await rm(join(dir, name), { force: true });
};

const keyFormat = /^uploads(\/[A-Za-z0-9][A-Za-z0-9_-]*)+$/;

/** Throws a RangeError for a key of another format, which could refer to a file outside the uploads folder. */
const objectPath = (dir: string, key: string): string => {
  if (!keyFormat.test(key)) throw new RangeError(`${JSON.stringify(key)} is not the key of an upload`);
  return join(dir, ...key.split('/'));
};

interface Destination {
  /** On the same file system as `path`, so that a rename is atomic. */
  readonly draft: string;
  readonly path: string;
  readonly root: string;
}

const writeDraft = async (
  draft: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ReceivedObject> => {
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

const writeDurably = async (
  { draft, path, root }: Destination,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ReceivedObject> => {
  try {
    const received = await writeDraft(draft, content, maxBytes);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    // A new folder is durable once its parent folder is synced.
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder))
      await syncDirectory(folder);
    return received;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const statFile = async (path: string) => {
  try {
    const found = await stat(path, { bigint: true });
    return found.isFile() ? found : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

export const openDiskObjectStore = async (dir: string): Promise<ReceivingObjectStore> => {
  const root = resolve(dir);
  const uploads = join(root, 'uploads');
  const incoming = join(uploads, '.incoming');
  await mkdir(uploads, { recursive: true, mode: 0o700 });
  await clearIncoming(incoming);
  return {
    kind: 'disk',
    async readMetadata(key) {
      const found = await statFile(objectPath(root, key));
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
      if (!(await statFile(path))) throw new ObjectNotFound(key);
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
