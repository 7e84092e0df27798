import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import sinon from 'sinon';
import { type ProposedEvent, StreamStore } from '@popsvc/embedded/event-store/streams';
import { temporaryFolder } from '@popsvc/tools/rig';

const event = (): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('Checked'),
  json: true,
  metadata: Buffer.alloc(0),
  data: Buffer.from('{}'),
});

const open = (dir: string): Promise<StreamStore> =>
  StreamStore.open({
    dir,
    fail: (error) => {
      throw error as Error;
    },
  });

describe('event store: an append that cannot be encoded', () => {
  afterEach(() => sinon.restore());

  it('leaves no trace: later appends get its revisions, also after a restart', async () => {
    const dir = await temporaryFolder('encode');
    const store = await open(dir);
    await store.appender.append('known', 'no_stream', [event()]);
    const failing = sinon.stub(Buffer, 'allocUnsafeSlow').throws(new RangeError('out of memory'));
    for (const stream of ['known', 'new', '$$known']) {
      const failure: unknown = await Promise.resolve()
        .then(() => store.appender.append(stream, 'any', [event(), event()]))
        .catch((error: unknown) => error);
      expect(String(failure)).to.contain('out of memory');
    }
    failing.restore();
    expect(store.find('new')).to.equal(undefined);
    const outcomes = [
      await store.appender.append('known', 0n, [event()]),
      await store.appender.append('new', 'no_stream', [event()]),
      await store.appender.append('another', 'no_stream', [event()]),
    ];
    expect(outcomes.map((outcome) => outcome.is === 'appended' && outcome.revision)).to.deep.equal([1, 0, 0]);
    await store.close();
    const again = await open(dir);
    expect(['known', 'new', 'another'].map((name) => again.find(name)?.last)).to.deep.equal([1, 0, 0]);
    await again.close();
  });
});
