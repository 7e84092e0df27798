import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ObjectNotFound } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { adapters, type TestObjects } from './adapters.fixture.ts';

const never = new AbortController().signal;
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
    const content = async (key: string) => buffer(await at.store.read(key, never));

    for (const size of [0, 1, 65_536, 3_000_001])
      it(`gives back the ${size} bytes that came`, async () => {
        const [key, bytes, beganMs] = [newKey(), randomBytes(size), Date.now()];
        await at.put(key, bytes);
        const endedMs = Date.now();
        expect(sha256(await content(key))).to.equal(sha256(bytes));
        const facts = await at.store.readMetadata(key);
        expect(facts?.sizeBytes).to.equal(size);
        // S3 tells seconds.
        expect(facts!.storedAtMs).to.be.within(beganMs - 1_000, endedMs + 1_000);
      });

    it('knows nothing of what never came', async () => {
      const key = newKey();
      expect(await at.store.readMetadata(key)).to.equal(undefined);
      const outcome = await at.store.read(key, never).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(ObjectNotFound);
      await at.store.remove(key);
    });

    it('replaces what was there, and shows it by the tag', async () => {
      const key = newKey();
      await at.put(key, Buffer.from('first'));
      const before = await at.store.readMetadata(key);
      expect(await at.store.readMetadata(key)).to.deep.equal(before);
      await at.put(key, Buffer.from('other'));
      expect((await content(key)).toString()).to.equal('other');
      expect((await at.store.readMetadata(key))?.tag).to.not.equal(before?.tag);
    });

    it('removes an object, and what lies under its key, and nothing beside it', async () => {
      const [folder, beside] = [newKey(), newKey()];
      for (const key of [`${folder}/a`, `${folder}/b`, beside, `${folder}x`]) await at.put(key, Buffer.from('x'));
      await at.store.remove(folder);
      expect(await at.store.readMetadata(`${folder}/a`)).to.equal(undefined);
      expect(await at.store.readMetadata(`${folder}/b`)).to.equal(undefined);
      expect(await at.store.readMetadata(`${folder}x`)).to.not.equal(undefined);
      await at.store.remove(beside);
      expect(await at.store.readMetadata(beside)).to.equal(undefined);
      await at.store.remove(beside);
    });

    it('does not take a folder for an object', async () => {
      const key = newKey();
      await at.put(`${key}/a`, Buffer.from('x'));
      expect(await at.store.readMetadata(key)).to.equal(undefined);
      expect(await at.store.read(key, never).catch((error: unknown) => error)).to.be.instanceOf(ObjectNotFound);
    });

    it('stops reading when it is told to', async () => {
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
