import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ObjectNotFound } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { adapters, type TestObjects } from './object-stores.fixture.ts';

const notAborted = new AbortController().signal;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
let serial = 0;
const newKey = () => `uploads/7/file-${++serial}`;

for (const [name, open] of adapters)
  describe(`object store: ${name}`, () => {
    let at: TestObjects;
    before(async () => {
      at = await open();
    });
    after(() => at.close());
    const content = async (key: string) => buffer(await at.store.read(key, notAborted));

    for (const size of [0, 1, 65_536, 3_000_001])
      it(`returns the ${size} bytes that were stored`, async () => {
        const [key, bytes, beganMs] = [newKey(), randomBytes(size), Date.now()];
        await at.put(key, bytes);
        const endedMs = Date.now();
        expect(sha256(await content(key))).to.equal(sha256(bytes));
        const metadata = await at.store.readMetadata(key);
        expect(metadata?.sizeBytes).to.equal(size);
        // S3 reports whole seconds.
        expect(metadata!.storedAtMs).to.be.within(beganMs - 1_000, endedMs + 1_000);
      });

    it('reports a missing object', async () => {
      const key = newKey();
      expect(await at.store.readMetadata(key)).to.equal(undefined);
      const outcome = await at.store.read(key, notAborted).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(ObjectNotFound);
      await at.store.remove(key);
    });

    it('replaces an object and changes its tag', async () => {
      const key = newKey();
      await at.put(key, Buffer.from('first'));
      const before = await at.store.readMetadata(key);
      expect(await at.store.readMetadata(key)).to.deep.equal(before);
      await at.put(key, Buffer.from('other'));
      expect((await content(key)).toString()).to.equal('other');
      expect((await at.store.readMetadata(key))?.tag).to.not.equal(before?.tag);
    });

    it('removes an object and the objects below its key, and no other', async () => {
      const [folder, other] = [newKey(), newKey()];
      for (const key of [`${folder}/a`, `${folder}/b`, other, `${folder}x`]) await at.put(key, Buffer.from('x'));
      await at.store.remove(folder);
      expect(await at.store.readMetadata(`${folder}/a`)).to.equal(undefined);
      expect(await at.store.readMetadata(`${folder}/b`)).to.equal(undefined);
      expect(await at.store.readMetadata(`${folder}x`)).to.not.equal(undefined);
      await at.store.remove(other);
      expect(await at.store.readMetadata(other)).to.equal(undefined);
      await at.store.remove(other);
    });

    it('does not treat a folder as an object', async () => {
      const key = newKey();
      await at.put(`${key}/a`, Buffer.from('x'));
      expect(await at.store.readMetadata(key)).to.equal(undefined);
      expect(await at.store.read(key, notAborted).catch((error: unknown) => error)).to.be.instanceOf(ObjectNotFound);
    });

    it('stops reading when the signal aborts', async () => {
      const key = newKey();
      await at.put(key, randomBytes(5_000_000));
      const stop = new AbortController();
      const stream = await at.store.read(key, stop.signal);
      let read = 0;
      const reading = (async () => {
        for await (const chunk of stream) {
          read += (chunk as Buffer).length;
          stop.abort();
        }
      })();
      expect(
        await reading.then(
          () => 'whole',
          () => 'stopped',
        ),
      ).to.equal('stopped');
      expect(read).to.be.lessThan(5_000_000);
    });

    it('answers a ping', () => at.store.ping());
  });
