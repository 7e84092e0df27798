import { randomUUID } from 'node:crypto';
import { registryStream } from '@popsvc/contracts/events';
import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, type TestOps } from './ops.fixture.ts';
import { expectApplied, codeOf, readRegistryEvents } from './registry.fixture.ts';

/** Passes `appends` appends to the store; `fault` handles the next one. */
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

describe('applying a registry file', () => {
  let system: TestOps | undefined;
  afterEach(() => system?.close());

  it('is completed by the same file after an interruption', async () => {
    system = await startTestOps(
      {},
      failingAfter(4, () => Promise.reject(new Error('the process died'))),
    );
    expect((await system.request('POST', '/registry', smallRegistry)).status).to.equal(500);
    const partial = await readRegistryEvents(system.store);
    expect(partial).to.have.length(4);
    const { created, unchanged } = expectApplied(await system.request('POST', '/registry', smallRegistry));
    expect([unchanged['networks'], created['devices'], created['creatives']]).to.deep.equal([1, 1, 1]);
    const all = await readRegistryEvents(system.store);
    expect(all.slice(0, 4)).to.deep.equal(partial);
    expect(new Set(all).size).to.equal(10);
    expect(all).to.have.length(10);
  });

  it('repeats an append whose response was lost, without storing it twice', async () => {
    system = await startTestOps(
      {},
      failingAfter(2, async (real, args) => {
        await real.append(...args);
        throw new EventStoreUnavailable('the response was lost');
      }),
    );
    expectApplied(await system.request('POST', '/registry', smallRegistry));
    expect(await readRegistryEvents(system.store)).to.have.length(10);
  });

  it('responds with a conflict after a concurrent change', async () => {
    system = await startTestOps(
      {},
      failingAfter(0, () => Promise.reject(new WrongExpectedVersion('moved'))),
    );
    const reply = await system.request('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([409, 'CONFLICT']);
  });

  it('responds with a conflict after a change by another process that a request has read meanwhile', async () => {
    const stream = registryStream('sites', '2');
    const changedElsewhere = { ...smallRegistry.sites[0], name: 'Changed elsewhere' };
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString() };
    system = await startTestOps({}, (real) => ({
      ...real,
      async append(...args) {
        if (args[1][0]?.type === 'NetworkChanged') {
          await real.append(stream, [{ id: randomUUID(), type: 'SiteChanged', data: changedElsewhere, metadata }]);
          expect((await system!.request('GET', '/registry')).status).to.equal(200);
        }
        return real.append(...args);
      },
    }));
    expectApplied(await system.request('POST', '/registry', smallRegistry));
    const reply = await system.request('POST', '/registry', {
      networks: [{ ...smallRegistry.networks[0], name: 'Renamed' }],
      sites: [{ ...smallRegistry.sites[0], name: 'Renamed' }],
    });
    expect([reply.status, codeOf(reply)]).to.deep.equal([409, 'CONFLICT']);
    for await (const { data } of system.store.readStream(stream, { direction: 'backwards', max: 1 }))
      expect(data).to.include({ name: 'Changed elsewhere' });
  });

  it('names the entity whose append the event store rejects, and continues there when applied again', async () => {
    system = await startTestOps(
      {},
      failingAfter(1, () => Promise.reject(new EventStoreRejected('too-large', 'the limit is lower'))),
    );
    const reply = await system.request('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    expect(JSON.stringify(reply.body)).to.match(/append to registry-[a-z]+\.\w+: the limit is lower/);
    expectApplied(await system.request('POST', '/registry', smallRegistry));
    expect(await readRegistryEvents(system.store)).to.have.length(10);
  });

  it('responds with 503 while the event store is down, and works afterwards', async () => {
    system = await startTestOps();
    await system.node.stop();
    const reply = await system.request('POST', '/registry', smallRegistry);
    expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
    await system.node.restart();
    expectApplied(await system.request('POST', '/registry', smallRegistry));
  });
});
