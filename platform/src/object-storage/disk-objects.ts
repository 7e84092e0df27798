import { constants } from 'node:fs';
import { access, mkdir, open, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ObjectNotFound } from './errors.ts';
import { clearIncoming, draftName } from './incoming.ts';
import { objectPath } from './object-path.ts';
import type { ReceivingObjectStore } from './port.ts';
import { writeDurably } from './write-durably.ts';

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
