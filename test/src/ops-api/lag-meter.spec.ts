import {
  type EventStore,
  EventStoreUnavailable,
  type SubscriptionItem,
  createLagMeter,
} from '@popsvc/platform/event-store';
import { expect } from 'chai';

/** A log with an event at every tenth position; a subscription delivers `delivered` of them, then nothing more. */
const createLog = (events: number, { delivered = events, isDown = false } = {}) => {
  let read = 0;
  const store: Pick<EventStore, 'subscribe' | 'readHeadPosition'> = {
    readHeadPosition: () =>
      isDown ? Promise.reject(new EventStoreUnavailable('no connection')) : Promise.resolve(BigInt(events * 10)),
    async *subscribe({ after, signal }) {
      if (isDown) throw new EventStoreUnavailable('no connection');
      const first = after === 'start' ? 1 : Number(after) / 10 + 1;
      for (let at = first; at <= Math.min(events, delivered); at += 1) {
        read += 1;
        yield { kind: 'event', event: { position: BigInt(at * 10) } } as unknown as SubscriptionItem;
      }
      if (delivered >= events) yield { kind: 'caught-up' };
      else await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
  return { lagOf: createLagMeter(store), read: () => read };
};

describe('createLagMeter', () => {
  it('counts few events', async () => {
    const { lagOf } = createLog(900);
    expect(await lagOf('coffee 1', { prefixes: ['pop-'] }, 0n)).to.equal(900);
    expect(await lagOf('coffee 1', { prefixes: ['pop-'] }, 8_990n)).to.equal(1);
    expect(await lagOf('coffee 1', { prefixes: ['pop-'] }, 9_000n)).to.equal(0);
  });

  it('estimates many events without reading them', async () => {
    const { lagOf, read } = createLog(1_000_000);
    for (const position of [0n, 100_000n, 200_000n, 5_000_000n])
      expect(await lagOf('coffee 1', { prefixes: ['pop-'] }, position)).to.be.closeTo(
        1_000_000 - Number(position) / 10,
        2_000,
      );
    expect(read()).to.be.lessThan(1_100);
  });

  it('estimates when the subscription stalls, and returns null when the event store does not answer', async () => {
    expect(await createLog(5_000, { delivered: 200 }).lagOf('coffee 1', { prefixes: ['pop-'] }, 0n)).to.be.closeTo(
      5_000,
      20,
    );
    expect(await createLog(5_000, { delivered: 0 }).lagOf('coffee 1', { prefixes: ['pop-'] }, 0n)).to.equal(null);
    expect(await createLog(5_000, { isDown: true }).lagOf('coffee 1', { prefixes: ['pop-'] }, 0n)).to.equal(null);
  });
});
