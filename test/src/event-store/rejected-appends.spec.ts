import { randomUUID } from 'node:crypto';
import { EventStoreRejected, EventStoreUnavailable, openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { startTestEventStore, type TestEventStore } from '../support/engines.ts';

const eventOf = (bytes: number) => ({
  id: randomUUID(),
  type: 'Large',
  data: { text: 'x'.repeat(bytes) },
  metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z' },
});

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('EventStoreRejected', () => {
  for (const [rpc, flag] of [
    ['BatchAppend', '1'],
    ['Append', '0'],
  ] as const)
    it(`is distinguished from an unavailable store (${rpc})`, async () => {
      const node: TestEventStore = await startTestEventStore({ EVENT_STORE_BATCH_APPEND: flag });
      const store = openEventStore({ url: node.url });
      try {
        const refused = await failure(store.append('large', [eventOf(1_100_000)]));
        expect(refused).to.be.instanceOf(EventStoreRejected);
        expect(refused).to.include({
          reason: 'too-large',
          message: 'the event store accepts at most 1048576 bytes in one append',
        });
        await store.append('large', [eventOf(1_000)]);
        await node.kill9();
        expect(await failure(store.append('large', [eventOf(1_000)]))).to.be.instanceOf(EventStoreUnavailable);
      } finally {
        await store.close();
        await node.stop();
      }
    });
});
