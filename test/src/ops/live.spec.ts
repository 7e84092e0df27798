import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@popsvc/platform/telemetry';
import { createLiveHub } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

const log = createLog('test', 'silent');

/** What a listener has read, as far as it reads. */
const reading = (stream: Readable) => {
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

/** Until it has read that. */
const toldOf = (heard: { readonly text: string }, what: string) =>
  waitUntil(
    () => Promise.resolve(heard.text),
    (text) => text.includes(what),
  );

const allEnded = (heard: readonly { readonly ended: unknown }[]) =>
  waitUntil(
    () => Promise.resolve(heard),
    (all) => all.every(({ ended }) => ended === 'ended'),
  );

describe('news that operators follow', () => {
  it('end for who is let in no more, and go on for the others', async () => {
    let isLetIn = true;
    const hub = createLiveHub([{ event: 'count', intervalMs: 10, read: () => Promise.resolve({}) }], { log });
    const streams = [hub.subscribe(() => isLetIn), hub.subscribe()];
    const [mine, others] = streams.map(reading);
    await waitUntil(
      () => Promise.resolve([mine!.text, others!.text]),
      (texts) => texts.every((text) => text.includes('count')),
    );
    isLetIn = false;
    await allEnded([mine!]);
    const before = others!.text.length;
    await waitUntil(
      () => Promise.resolve(others!.text.length),
      (length) => length > before,
    );
    expect([others!.ended, hub.subscriberCount]).to.deep.equal([undefined, 1]);
    for (const stream of streams) stream.destroy();
  });

  it('are made once for all who listen, and not while nobody does', async () => {
    let made = 0;
    const hub = createLiveHub([{ event: 'count', intervalMs: 10, read: () => Promise.resolve({ made: ++made }) }], {
      log,
    });
    await sleep(30);
    expect(made).to.equal(0);
    const streams = [hub.subscribe(), hub.subscribe(), hub.subscribe()];
    const heard = streams.map(reading);
    await waitUntil(
      () => Promise.resolve(heard.map(({ text }) => text)),
      (texts) => texts.every((text) => text.includes('"made":5')),
    );
    for (const { text } of heard)
      expect(text).to.match(/^retry: 3000\n\nevent: count\ndata: \{"made":1\}\n\nevent: count/);
    expect(made).to.be.lessThan(20);
    for (const stream of streams) stream.destroy();
    await waitUntil(
      () => Promise.resolve(hub.subscriberCount),
      (many) => many === 0,
    );
    const before = made;
    await sleep(50);
    expect(made).to.equal(before);
    const again = hub.subscribe();
    expect(
      await waitUntil(
        () => Promise.resolve(made),
        (many) => many > before,
      ),
    ).to.be.greaterThan(before);
    again.destroy();
  });

  it('come to who joins later with what is known already', async () => {
    const hub = createLiveHub([{ event: 'slow', intervalMs: 60_000, read: () => Promise.resolve('news') }], { log });
    const first = hub.subscribe();
    const firstHeard = reading(first);
    await toldOf(firstHeard, 'news');
    const second = hub.subscribe();
    const secondHeard = reading(second);
    await toldOf(secondHeard, 'news');
    first.destroy();
    second.destroy();
  });

  it('go on after one that could not be told', async () => {
    let asked = 0;
    const tell = () => (++asked < 3 ? Promise.reject(new Error('away')) : Promise.resolve(asked));
    const hub = createLiveHub([{ event: 'flaky', intervalMs: 5, read: tell }], { log });
    const stream = hub.subscribe();
    const heard = reading(stream);
    await toldOf(heard, 'data: 3');
    stream.destroy();
  });

  it('are not kept for who does not read them', async () => {
    const line = 'x'.repeat(10_000);
    const hub = createLiveHub([{ event: 'much', intervalMs: 1, read: () => Promise.resolve(line) }], {
      log,
      maxUnreadBytes: 50_000,
    });
    const [idle, busy] = [hub.subscribe(), hub.subscribe()];
    const heard = reading(busy);
    const dropped = new Promise<Error>((resolve) => idle.once('error', resolve));
    expect((await dropped).message).to.match(/too slowly/);
    expect(idle.readableLength).to.be.lessThan(100_000);
    const length = heard.text.length;
    await waitUntil(
      () => Promise.resolve(heard.text.length),
      (now) => now > length + 50_000,
    );
    expect([hub.subscriberCount, heard.ended]).to.deep.equal([1, undefined]);
    busy.destroy();
  });

  it('are for so many at most, and end when the service does', async () => {
    const stop = new AbortController();
    const channel = { event: 'one', intervalMs: 1_000, read: () => Promise.resolve(1) };
    const hub = createLiveHub([channel], { log, maxSubscribers: 2, stopping: stop.signal });
    const heard = [reading(hub.subscribe()), reading(hub.subscribe())];
    expect(() => hub.subscribe()).to.throw('Too many');
    stop.abort();
    await allEnded(heard);
    expect(() => hub.subscribe()).to.throw('stopping');
  });

  it('end in peace for who has not read that they do', async () => {
    const stop = new AbortController();
    let isLetIn = true;
    const hub = createLiveHub([{ event: 'count', intervalMs: 5, read: () => Promise.resolve(1) }], {
      log,
      stopping: stop.signal,
    });
    const streams = [hub.subscribe(() => isLetIn), hub.subscribe()];
    const errors: Error[] = [];
    for (const stream of streams) stream.on('error', (error) => errors.push(error));
    await sleep(20);
    isLetIn = false;
    await sleep(20);
    expect(hub.subscriberCount).to.equal(1);
    stop.abort();
    await sleep(20);
    const heard = streams.map(reading);
    await allEnded(heard);
    expect([errors, hub.subscriberCount]).to.deep.equal([[], 0]);
  });

  describe('over HTTP', function () {
    this.timeout(60_000);
    let system: TestServices;
    before(async () => {
      system = await startTestServices();
    });
    after(() => system.close());

    it('are what the overview and the list of projections answer', async () => {
      const ask = (token: string) =>
        fetch(`${system.opsUrl}/ops/v1/live`, {
          headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
        });
      expect((await ask('nonsense')).status).to.equal(401);
      const answer = await ask(operatorToken);
      expect(answer.headers.get('content-type')).to.match(/^text\/event-stream/);
      expect(answer.headers.get('content-encoding')).to.equal(null);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const stream = Readable.fromWeb(answer.body!);
      const heard = reading(stream);
      await waitUntil(
        () => Promise.resolve(heard.text),
        (text) => /event: overview\ndata: \{.*\}\n\n/.test(text) && /event: projections\ndata: \{.*\}\n\n/.test(text),
      );
      const data = (event: string) =>
        JSON.parse(new RegExp(`event: ${event}\\ndata: (.*)\\n`).exec(heard.text)![1]!) as Record<string, unknown>;
      const shown = await fetch(`${system.opsUrl}/ops/v1/overview`, {
        headers: { authorization: `Bearer ${operatorToken}` },
      });
      expect(Object.keys(data('overview'))).to.deep.equal(Object.keys((await shown.json()) as object));
      expect(data('projections')).to.have.keys('projections', 'replays');
      stream.destroy();
    });
  });
});
