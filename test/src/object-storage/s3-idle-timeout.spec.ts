import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openS3ObjectStore } from '@popsvc/platform/object-storage';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';

const [whole, half] = [200_000, 100_000];
/** A duration that no other timer of the process has: specs that ran before may have left some. */
const silentMs = 317;

describe('read of an S3 object', () => {
  let server: Server;
  let sent: number;
  /** The clock of the time limits. It advances only where a test says so. */
  let clock: sinon.SinonFakeTimers;
  beforeEach(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Length': whole, ETag: '"1"' });
      response.write(Buffer.alloc(sent));
    }).listen(0);
    await once(server, 'listening');
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    clock.restore();
    server.closeAllConnections();
    server.close();
  });

  const listDelays = () => [...(clock.timers?.values() ?? [])].map(({ delay }) => delay);
  const reading = async (signal = new AbortController().signal) => {
    const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`;
    const store = await openS3ObjectStore({ endpoint, bucket: 'b', accessKeyId: 'a', secretAccessKey: 's' }, silentMs);
    return store.read('uploads/1/f', signal);
  };

  it('fails when the store stops sending', async () => {
    sent = half;
    let bytes = 0;
    const failure: unknown = await (async () => {
      for await (const chunk of await reading()) {
        bytes += (chunk as Buffer).length;
        if (bytes === half) setImmediate(() => clock.tick(silentMs));
      }
    })().catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'DeadlineExceeded');
    expect(bytes).to.equal(half);
  });

  it('ends at once when the signal aborts', async () => {
    sent = half;
    const stop = new AbortController();
    let bytes = 0;
    const failure: unknown = await (async () => {
      for await (const chunk of await reading(stop.signal)) {
        bytes += (chunk as Buffer).length;
        if (bytes === half) setImmediate(() => stop.abort());
      }
    })().catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'AbortError');
  });

  it('has no time limit for a slow reader', async () => {
    sent = whole;
    let bytes = 0;
    for await (const chunk of await reading()) {
      if (bytes === 0) {
        // The store waits for the reader, not for more bytes.
        await waitUntil(
          () => Promise.resolve(listDelays()),
          (delays) => !delays.includes(silentMs),
        );
        clock.tick(silentMs * 2);
      }
      bytes += (chunk as Buffer).length;
    }
    expect(bytes).to.equal(whole);
  });
});
