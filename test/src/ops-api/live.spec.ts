import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@popsvc/platform/telemetry';
import { createLiveHub } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

const log = createLog('test', 'silent');

/** Reads a stream and keeps its text and its end. */
const readText = (stream: Readable) => {
  let text = '';
  let ended: 'ended' | Error | undefined;
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  stream.once('end', () => (ended = 'ended'));
  stream.once('error', (error) => (ended = error));
  return {
    get text() {
      return text;
    },
    get ended() {
      return ended;
    },
  };
};

const waitForText = (reader: { readonly text: string }, expected: string) =>
  waitUntil(
    () => Promise.resolve(reader.text),
    (text) => text.includes(expected),
  );

const waitForEnd = (readers: readonly { readonly ended: unknown }[]) =>
  waitUntil(
    () => Promise.resolve(readers),
    (all) => all.every(({ ended }) => ended === 'ended'),
  );

describe('createLiveHub', () => {
  it('ends the streams of subscribers that are no longer authorized, and only these', async () => {
    let isAuthorized = true;
    const hub = createLiveHub([{ event: 'count', intervalMs: 10, read: () => Promise.resolve({}) }], { log });
    const streams = [hub.subscribe(() => isAuthorized), hub.subscribe()];
    const [mine, others] = streams.map(readText);
    await waitUntil(
      () => Promise.resolve([mine!.text, others!.text]),
      (texts) => texts.every((text) => text.includes('count')),
    );
    isAuthorized = false;
    await waitForEnd([mine!]);
    const before = others!.text.length;
    await waitUntil(
      () => Promise.resolve(others!.text.length),
      (length) => length > before,
    );
    expect([others!.ended, hub.subscriberCount]).to.deep.equal([undefined, 1]);
    for (const stream of streams) stream.destroy();
  });

  it('reads data once for all subscribers, and not without subscribers', async () => {
    let reads = 0;
    const hub = createLiveHub([{ event: 'count', intervalMs: 10, read: () => Promise.resolve({ reads: ++reads }) }], {
      log,
    });
    await sleep(30);
    expect(reads).to.equal(0);
    const streams = [hub.subscribe(), hub.subscribe(), hub.subscribe()];
    const readers = streams.map(readText);
    await waitUntil(
      () => Promise.resolve(readers.map(({ text }) => text)),
      (texts) => texts.every((text) => text.includes('"reads":5')),
    );
    for (const { text } of readers)
      expect(text).to.match(/^retry: 3000\n\nevent: count\ndata: \{"reads":1\}\n\nevent: count/);
    for (const { text } of readers) {
      // A reader would miss numbers if others caused reads of their own.
      const numbers = [...text.matchAll(/"reads":(\d+)/g)].map(([, number]) => Number(number));
      expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
    }
    for (const stream of streams) stream.destroy();
    await waitUntil(
      () => Promise.resolve(hub.subscriberCount),
      (many) => many === 0,
    );
    const before = reads;
    await sleep(50);
    expect(reads).to.equal(before);
    const again = hub.subscribe();
    expect(
      await waitUntil(
        () => Promise.resolve(reads),
        (many) => many > before,
      ),
    ).to.be.greaterThan(before);
    again.destroy();
  });

  it('sends the latest event to a subscriber that joins later', async () => {
    const hub = createLiveHub([{ event: 'slow', intervalMs: 60_000, read: () => Promise.resolve('latest') }], { log });
    const first = hub.subscribe();
    const firstReader = readText(first);
    await waitForText(firstReader, 'latest');
    const second = hub.subscribe();
    const secondReader = readText(second);
    await waitForText(secondReader, 'latest');
    first.destroy();
    second.destroy();
  });

  it('continues after a read failed', async () => {
    let reads = 0;
    const read = () => (++reads < 3 ? Promise.reject(new Error('no connection')) : Promise.resolve(reads));
    const hub = createLiveHub([{ event: 'flaky', intervalMs: 5, read }], { log });
    const stream = hub.subscribe();
    const reader = readText(stream);
    await waitForText(reader, 'data: 3');
    stream.destroy();
  });

  it('disconnects a subscriber that does not read', async () => {
    const line = 'x'.repeat(10_000);
    const hub = createLiveHub([{ event: 'much', intervalMs: 1, read: () => Promise.resolve(line) }], {
      log,
      maxUnreadBytes: 50_000,
    });
    const [idle, busy] = [hub.subscribe(), hub.subscribe()];
    const reader = readText(busy);
    const dropped = new Promise<Error>((resolve) => idle.once('error', resolve));
    expect((await dropped).message).to.match(/too slowly/);
    expect(idle.readableLength).to.be.lessThan(100_000);
    const length = reader.text.length;
    await waitUntil(
      () => Promise.resolve(reader.text.length),
      (now) => now > length + 50_000,
    );
    expect([hub.subscriberCount, reader.ended]).to.deep.equal([1, undefined]);
    busy.destroy();
  });

  it('limits the number of subscribers, and ends all streams when the server stops', async () => {
    const stop = new AbortController();
    const channel = { event: 'one', intervalMs: 1_000, read: () => Promise.resolve(1) };
    const hub = createLiveHub([channel], { log, maxSubscribers: 2, stopping: stop.signal });
    const readers = [readText(hub.subscribe()), readText(hub.subscribe())];
    expect(() => hub.subscribe()).to.throw('Too many');
    stop.abort();
    await waitForEnd(readers);
    expect(() => hub.subscribe()).to.throw('stopping');
  });

  it('ends unread streams without an error', async () => {
    const stop = new AbortController();
    let isAuthorized = true;
    const hub = createLiveHub([{ event: 'count', intervalMs: 5, read: () => Promise.resolve(1) }], {
      log,
      stopping: stop.signal,
    });
    const streams = [hub.subscribe(() => isAuthorized), hub.subscribe()];
    const errors: Error[] = [];
    for (const stream of streams) stream.on('error', (error) => errors.push(error));
    await sleep(20);
    isAuthorized = false;
    await waitUntil(
      () => Promise.resolve(hub.subscriberCount),
      (many) => many === 1,
    );
    stop.abort();
    await sleep(20);
    const readers = streams.map(readText);
    await waitForEnd(readers);
    expect([errors, hub.subscriberCount]).to.deep.equal([[], 0]);
  });

  describe('over HTTP', function () {
    let system: TestServices;
    before(async () => {
      system = await startTestServices();
    });
    after(() => system.close());

    it('sends the responses of the overview and of the list of projections', async () => {
      const request = (token: string) =>
        fetch(`${system.opsUrl}/ops/v1/live`, {
          headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
        });
      expect((await request('nonsense')).status).to.equal(401);
      const response = await request(operatorToken);
      expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
      expect(response.headers.get('content-encoding')).to.equal(null);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      const stream = Readable.fromWeb(response.body!);
      const reader = readText(stream);
      await waitUntil(
        () => Promise.resolve(reader.text),
        (text) => /event: overview\ndata: \{.*\}\n\n/.test(text) && /event: projections\ndata: \{.*\}\n\n/.test(text),
      );
      const data = (event: string) =>
        JSON.parse(new RegExp(`event: ${event}\\ndata: (.*)\\n`).exec(reader.text)![1]!) as Record<string, unknown>;
      const shown = await fetch(`${system.opsUrl}/ops/v1/overview`, {
        headers: { authorization: `Bearer ${operatorToken}` },
      });
      expect(Object.keys(data('overview'))).to.deep.equal(Object.keys((await shown.json()) as object));
      expect(data('projections')).to.have.keys('projections', 'replays');
      stream.destroy();
    });
  });
});
