import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { ops, type TestOps } from './ops.fixture.ts';
import { appliedOf, codeOf, streams } from './registry.fixture.ts';

/** Lets so many appends through; what becomes of the next is said by `fault`. */
const failingAfter = (
  appends: number,
  fault: (real: EventStore, args: Parameters<EventStore['append']>) => Promise<never>,
) => {
  let left = appends;
  return (real: EventStore): EventStore => ({
    ...real,
    append: (...args) => (left-- === 0 ? fault(real, args) : real.append(...args)),
  });
};

describe('Applying a registry file that is interrupted', () => {
  let system: TestOps | undefined;
  afterEach(() => system?.close());

  it('is completed by the same file', async () => {
    system = await ops(
      {},
      failingAfter(4, () => Promise.reject(new Error('the process died'))),
    );
    expect((await system.ask('POST', '/registry', smallRegistry)).status).to.equal(500);
    const midway = await streams(system.store);
    expect(midway).to.have.length(4);
    const { created, unchanged } = appliedOf(await system.ask('POST', '/registry', smallRegistry));
    expect([unchanged['networks'], created['devices'], created['creatives']]).to.deep.equal([1, 1, 1]);
    const all = await streams(system.store);
    expect(all.slice(0, 4)).to.deep.equal(midway);
    expect(new Set(all).size).to.equal(10);
    expect(all).to.have.length(10);
  });

  it('says an append again whose answer was lost, without writing it twice', async () => {
    system = await ops(
      {},
      failingAfter(2, async (real, args) => {
        await real.append(...args);
        throw new EventStoreUnavailable('the answer was lost');
      }),
    );
    appliedOf(await system.ask('POST', '/registry', smallRegistry));
    expect(await streams(system.store)).to.have.length(10);
  });

  it('is a conflict when another writer was faster', async () => {
    system = await ops(
      {},
      failingAfter(0, () => Promise.reject(new WrongExpectedVersion('moved'))),
    );
    const reply = await system.ask('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([409, 'CONFLICT']);
  });

  it('tells of which entity the event store takes no more, and goes on behind it when it does', async () => {
    system = await ops(
      {},
      failingAfter(1, () => Promise.reject(new EventStoreRejected('too-large', 'it takes less'))),
    );
    const reply = await system.ask('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    expect(JSON.stringify(reply.body)).to.match(/append to registry-[a-z]+\.\w+: it takes less/);
    appliedOf(await system.ask('POST', '/registry', smallRegistry));
    expect(await streams(system.store)).to.have.length(10);
  });

  it('is 503 while the event store is away, and works when it is back', async () => {
    system = await ops();
    await system.node.stop();
    const reply = await system.ask('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
    await system.node.restart();
    appliedOf(await system.ask('POST', '/registry', smallRegistry));
  });

  it('is 503 while the zones of the reports cannot be asked', async () => {
    system = await ops({ readTimeZones: () => Promise.reject(new Error('down')) });
    const reply = await system.ask('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
  });
});
