import { subscribeWithLease } from '@popsvc/platform/message-bus';
import type { EventStore, SubscriptionItem } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { type TestStores, openTestStores } from './bus.fixture.ts';

const [many, megabyte] = [200, 1_000_000];

describe('leased subscription of large events', () => {
  let stores: TestStores;
  before(async () => (stores = await openTestStores()));
  after(() => stores.close());

  it('holds few of them in memory at a time', async () => {
    async function* follow(): AsyncGenerator<SubscriptionItem> {
      const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 1, vendor: 'acme' };
      for (let number = 1n; number <= many; number += 1n) {
        const data = { items: [{ text: 'x'.repeat(megabyte) }] };
        const of = { id: randomUUID(), type: 'DynamicPlaysRecorded', stream: 'bulk-1.job', recordedAtMs: Date.now() };
        const event = { ...of, data, metadata, revision: number - 1n, position: number };
        yield await Promise.resolve({ kind: 'event', event });
      }
    }
    const store: EventStore = {
      ...stores.store,
      subscribe: follow,
      readHeadPosition: () => Promise.resolve(BigInt(many)),
    };
    const [end, sizes]: [AbortController, number[]] = [new AbortController(), []];
    const onMoved = (events: readonly unknown[]) => {
      sizes.push(events.length);
      if (sizes.reduce((all, size) => all + size, 0) === many) end.abort();
    };
    const task = { name: 'large', prefixes: ['bulk-'], maxEvents: 500, maxWaitMs: 1_000, onMoved };
    await subscribeWithLease({ ...stores, store, owner: 'one' }, task, end.signal);
    expect(sizes.reduce((all, size) => all + size, 0)).to.equal(many);
    expect(Math.max(...sizes)).to.be.lessThan(10);
  });
});
