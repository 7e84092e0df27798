import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ObjectTooLarge, openDiskObjectStore, type ReceivingObjectStore } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';

async function* parts(...chunks: readonly (Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    await new Promise((resolve) => setImmediate(resolve));
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
}

const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('disk object store', () => {
  let dir: string;
  let store: ReceivingObjectStore;
  beforeEach(async () => {
    dir = await temporaryFolder('objects');
    store = await openDiskObjectStore(dir);
  });
  const incoming = () => readdir(join(dir, 'uploads/.incoming'));
  const everything = () => readdir(join(dir, 'uploads'), { recursive: true });

  it('returns size and hash of a stored object', async () => {
    const bytes = randomBytes(200_000);
    const received = await store.receive('uploads/1/a', parts(bytes.subarray(0, 7), bytes.subarray(7)), 200_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(received).to.deep.equal({ sizeBytes: 200_000, sha256 });
  });

  it('creates files and folders that only the owner can read', async () => {
    await store.receive('uploads/1/a', parts(Buffer.from('x')), 10);
    expect((await stat(join(dir, 'uploads/1/a'))).mode & 0o077).to.equal(0);
    expect((await stat(join(dir, 'uploads/1'))).mode & 0o077).to.equal(0);
  });

  for (const [what, content, error] of [
    ['fails', () => parts(Buffer.from('abc'), new Error('cut')), Error],
    ['is too large', () => parts(Buffer.alloc(6), Buffer.alloc(5)), ObjectTooLarge],
  ] as const)
    it(`leaves nothing of an upload that ${what}, and keeps the previous object`, async () => {
      expect(await caught(store.receive('uploads/1/a', content(), 10))).to.be.instanceOf(error);
      expect(await everything()).to.deep.equal(['.incoming']);
      await store.receive('uploads/1/a', parts(Buffer.from('whole')), 10);
      expect(await caught(store.receive('uploads/1/a', content(), 10))).to.be.instanceOf(error);
      expect((await store.readMetadata('uploads/1/a'))?.sizeBytes).to.equal(5);
      expect(await incoming()).to.deep.equal([]);
    });

  it('does not show an object before its upload is complete', async () => {
    let goOn: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    const slow = (async function* () {
      yield Buffer.from('abc');
      await waiting;
      yield Buffer.from('def');
    })();
    const receiving = store.receive('uploads/1/a', slow, 10);
    while ((await incoming()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await store.readMetadata('uploads/1/a')).to.equal(undefined);
    goOn();
    await receiving;
    expect((await store.readMetadata('uploads/1/a'))?.sizeBytes).to.equal(6);
  });

  it('removes drafts of killed processes, and no draft that is being written', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.once('exit', resolve));
    const here = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');
    const [mine, killed, elsewhere, forgotten] = [
      `${here}.${process.pid}.a`,
      `${here}.${dead.pid}.b`,
      'elsewhere.1.c',
      'elsewhere.1.d',
    ] as const;
    for (const name of [mine, killed, elsewhere, forgotten]) await writeFile(join(dir, 'uploads/.incoming', name), 'x');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(dir, 'uploads/.incoming', forgotten), longAgo, longAgo);
    await openDiskObjectStore(dir);
    expect((await incoming()).sort()).to.deep.equal([mine, elsewhere].sort());
  });

  for (const key of [
    'uploads/../secrets',
    'uploads/./a',
    'uploads//a',
    '/uploads/a',
    'uploads/a/',
    'uploads',
    'other/a',
    'uploads/.incoming/a',
    'uploads/a\0b',
    'uploads/a\\b',
    'uploads/%2e%2e/a',
  ])
    it(`rejects the key ${JSON.stringify(key)} before it accesses the disk`, async () => {
      for (const work of [
        () => store.readMetadata(key),
        () => store.read(key, new AbortController().signal),
        () => store.remove(key),
        () => store.receive(key, parts(), 1),
      ])
        expect(await caught((async () => work())())).to.be.instanceOf(RangeError);
    });

  it('fails a ping when its folder is missing', async () => {
    await rm(dir, { recursive: true });
    expect(await caught(store.ping())).to.be.instanceOf(Error);
  });
});
