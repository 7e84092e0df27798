import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openS3ObjectStore } from '@popsvc/platform/object-storage';
import { expect } from 'chai';

const [whole, half] = [200_000, 100_000];
const silentMs = 300;

describe('read of an S3 object', () => {
  let server: Server;
  let sent: number;
  beforeEach(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Length': whole, ETag: '"1"' });
      response.write(Buffer.alloc(sent));
    }).listen(0);
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const reading = async (signal = new AbortController().signal) => {
    const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`;
    const store = await openS3ObjectStore({ endpoint, bucket: 'b', accessKeyId: 'a', secretAccessKey: 's' }, silentMs);
    return store.read('uploads/1/f', signal);
  };

  it('fails when the store stops sending', async () => {
    sent = half;
    let bytes = 0;
    const failure: unknown = await (async () => {
      for await (const chunk of await reading()) bytes += (chunk as Buffer).length;
    })().catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'DeadlineExceeded');
    expect(bytes).to.equal(half);
  });

  it('ends at once when the signal aborts', async () => {
    sent = half;
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const failure: unknown = await (async () => {
      for await (const chunk of await reading(stop.signal)) expect(chunk).to.be.instanceOf(Buffer);
    })().catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'AbortError');
  });

  it('has no time limit for a slow reader', async () => {
    sent = whole;
    let bytes = 0;
    for await (const chunk of await reading()) {
      if (bytes === 0) await sleep(silentMs * 2);
      bytes += (chunk as Buffer).length;
    }
    expect(bytes).to.equal(whole);
  });
});
