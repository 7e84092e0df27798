import { openDiskObjectStore, openS3ObjectStore, type ObjectStore } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { s3Server } from './s3-server.fixture.ts';

export interface TestObjects {
  readonly store: ObjectStore;
  /** Stores an object the way vendors do. */
  put(key: string, content: Buffer): Promise<void>;
  close(): Promise<void>;
}

const disk = async (): Promise<TestObjects> => {
  const store = await openDiskObjectStore(await temporaryFolder('objects'));
  return {
    store,
    async put(key, content) {
      await store.receive(key, inChunks(content), 1e9);
    },
    close: () => store.close(),
  };
};

/** Yields the content in chunks, like the body of a request. */
async function* inChunks(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) {
    await new Promise((resolve) => setImmediate(resolve));
    yield content.subarray(at, at + 65_536);
  }
}

const s3 = async (): Promise<TestObjects> => {
  const server = await s3Server();
  const store = await openS3ObjectStore(server);
  return {
    store,
    async put(key, content) {
      const { url } = await store.createUploadTarget(key, { format: 'ndjson', expiresAtMs: Date.now() + 60_000 });
      const { status } = await fetch(url, {
        method: 'PUT',
        body: content,
        headers: { 'Content-Type': 'application/x-ndjson' },
      });
      expect(status).to.equal(200);
    },
    async close() {
      await store.close();
      await server.close();
    },
  };
};

/** Every object store. */
export const adapters: readonly (readonly [string, () => Promise<TestObjects>])[] = [
  ['local disk', disk],
  ['S3', s3],
];
