import { createHash } from 'node:crypto';
import type { LogEvent, ReadStreamOptions } from '@popsvc/platform/event-store';
import { deriveEventIds, deriveRequestIdentity, findStoredIds } from '@popsvc/command-api/intake';
import { expect } from 'chai';
import fc from 'fast-check';

const marginMs = 30_000;

/** A stream in memory that counts the events read from it. */
const streamOf = (times: readonly number[]) => {
  const events = times.map(
    (recordedAtMs, index) => ({ id: `e${index}`, revision: BigInt(index), recordedAtMs }) as LogEvent,
  );
  let read = 0;
  return {
    events,
    read: () => read,
    async *readStream(_stream: string, { direction = 'forwards', from, max = Infinity }: ReadStreamOptions = {}) {
      await Promise.resolve();
      const chosen = direction === 'backwards' ? events.toReversed() : events.slice(Number(from ?? 0n));
      for (const event of chosen.slice(0, Math.min(max, events.length))) {
        read++;
        yield event;
      }
    },
  };
};

describe('command-api: events stored by earlier attempts', () => {
  it('finds exactly the ids recorded within the window of the attempts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(300_000), { maxLength: 60 }),
        fc.nat(300_000),
        fc.nat(60_000),
        fc.array(fc.nat(70), { maxLength: 10 }),
        async (times, fromMs, lastedMs, wanted) => {
          const stream = streamOf(times.toSorted((a, b) => a - b));
          const ids = wanted.map((index) => `e${index}`);
          const toMs = fromMs + lastedMs;
          const found = await findStoredIds(stream, 's', ids, { fromMs, toMs });
          const due = stream.events
            .filter(({ recordedAtMs }) => recordedAtMs >= fromMs - marginMs && recordedAtMs <= toMs + marginMs)
            .map(({ id }) => id)
            .filter((id) => ids.includes(id));
          expect([...found].sort()).to.deep.equal(due.sort());
        },
      ),
    ));

  it('reads no events recorded before or after the window', async () => {
    const stream = streamOf(Array.from({ length: 100_000 }, (_, index) => index * 1_000));
    const found = await findStoredIds(stream, 's', ['e50000', 'none'], { fromMs: 50_000_000, toMs: 50_000_000 });
    expect([...found]).to.deep.equal(['e50000']);
    expect(stream.read()).to.be.lessThan(100);
  });
});

describe('command-api: event ids', () => {
  const body = createHash('sha256').update('body').digest();

  it('are UUIDv5 of the request and the index', () => {
    const identity = deriveRequestIdentity('key', '/route', '', body);
    const sha1 = createHash('sha1').update(identity).update('1').digest();
    sha1[6] = (sha1[6]! & 0x0f) | 0x50;
    sha1[8] = (sha1[8]! & 0x3f) | 0x80;
    const due = sha1
      .subarray(0, 16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    expect(deriveEventIds(identity, 2)[1]).to.equal(due);
  });

  it('differ when any part of the request differs, and never collide within one request', () => {
    const requests: readonly Parameters<typeof deriveRequestIdentity>[] = [
      ['key', '/route', '', body],
      ['key', '/route', 'k', body],
      ['key', '/route', '', createHash('sha256').update('other').digest()],
      ['key', '/other', '', body],
      ['key2', '/route', '', body],
      ['key', '/route', 'k\n1', body],
    ];
    const ids = requests.flatMap((request) => deriveEventIds(deriveRequestIdentity(...request), 1_000));
    expect(new Set(ids)).to.have.property('size', ids.length);
    expect(deriveEventIds(deriveRequestIdentity('key', '/route', '', body), 3)).to.deep.equal(ids.slice(0, 3));
  });
});
