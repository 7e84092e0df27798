import { MappingRegistered } from '@popsvc/contracts/events';
import { type EventStore, EventStoreUnavailable, WrongExpectedVersion } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { ops, type TestOps } from './ops.fixture.ts';
import { codeOf, pathsOf } from './registry.fixture.ts';

const mapping = {
  vendor: 'acme',
  schema_version: 'flat-1',
  fields: {
    screenId: { path: 'screen' },
    campaignId: { path: 'campaign' },
    creativeId: { path: 'asset' },
    playedAt: { path: 'start' },
    duration: { path: 'length', unit: 's' },
  },
};
const another = { ...mapping, fields: { ...mapping.fields, duration: { path: 'length', unit: 'ms' } } };

const registered = async (store: EventStore, vendor = 'acme') => {
  const events = [];
  for await (const { type, data, metadata } of store.readStream(`mapping-${vendor}`)) {
    expect(type).to.equal('MappingRegistered');
    expect(metadata).to.include({ network: 1, vendor, schemaVersion: 1 });
    events.push(MappingRegistered.read(data, metadata.schemaVersion));
  }
  return events.map(({ version, mapping: told }) => [told.schema_version, version]);
};

const withRegistry = async (between?: (store: EventStore) => EventStore): Promise<TestOps> => {
  const system = await ops({}, between);
  expect((await system.ask('POST', '/registry', smallRegistry)).status).to.equal(200);
  return system;
};

describe('Mappings under /ops/v1', () => {
  let system: TestOps | undefined;
  afterEach(() => system?.close());

  it('are registered, once however often they are told, and counted by schema version', async () => {
    system = await withRegistry();
    const apply = async (body: object) => (await system!.ask('POST', '/mappings', body)).body;
    const told = { vendor: 'acme', network_id: 1, schema_version: 'flat-1' };
    expect(await apply(mapping)).to.deep.equal({ ...told, version: 1, changed: true });
    expect(await apply(mapping)).to.deep.equal({ ...told, version: 1, changed: false });
    expect(await apply(another)).to.deep.equal({ ...told, version: 2, changed: true });
    expect(await apply({ ...mapping, schema_version: 'flat-2' })).to.deep.equal({
      ...told,
      schema_version: 'flat-2',
      version: 1,
      changed: true,
    });
    expect(await apply(mapping), 'back again').to.deep.equal({ ...told, version: 3, changed: true });
    expect(await registered(system.store)).to.deep.equal([
      ['flat-1', 1],
      ['flat-1', 2],
      ['flat-2', 1],
      ['flat-1', 3],
    ]);
  });

  it('are listed as they are in force', async () => {
    system = await withRegistry();
    expect((await system.ask('GET', '/mappings')).body).to.deep.equal([]);
    const before = Date.now();
    await system.ask('POST', '/mappings', mapping);
    await system.ask('POST', '/mappings', another);
    const { status, body } = await system.ask('GET', '/mappings');
    const [only] = body as { registered_at: string }[];
    expect(status).to.equal(200);
    expect(Date.parse(only!.registered_at)).to.be.within(before - 1_000, Date.now() + 1_000);
    expect(body).to.deep.equal([
      {
        vendor: 'acme',
        network_id: 1,
        schema_version: 'flat-1',
        version: 2,
        registered_at: only!.registered_at,
        mapping: another,
      },
    ]);
    expect((await system.ask('GET', '/mappings?vendor=acme')).status).to.equal(400);
  });

  it('are refused to a vendor that is not registered, or no longer', async () => {
    system = await withRegistry();
    const gone = { vendors: [{ code: 'gone', name: 'Gone', network: 1, retired: true }] };
    await system.ask('POST', '/registry', gone);
    for (const vendor of ['acma', 'gone']) {
      const reply = await system.ask('POST', '/mappings', { ...mapping, vendor });
      expect([reply.status, codeOf(reply), pathsOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST', ['vendor']]);
    }
    expect(await registered(system.store, 'gone')).to.deep.equal([]);
  });

  it('are refused with every field that is wrong, and to anybody but operators', async () => {
    system = await withRegistry();
    const fields = {
      ...mapping.fields,
      screenId: { path: 'a[' },
      siteID: { path: 'b' },
      playedAt: { path: 's', zone: 'x' },
    };
    const reply = await system.ask('POST', '/mappings', { ...mapping, fields });
    expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST']);
    expect(pathsOf(reply)).to.have.members(['fields.screenId.path', 'fields.siteID', 'fields.playedAt.zone']);
    expect((await system.ask('POST', '/mappings', mapping, 'nobody')).status).to.equal(401);
  });

  it('are written once when the answer of the store was lost', async () => {
    let lost = 0;
    system = await withRegistry((real) => ({
      ...real,
      append: async (stream, ...rest) => {
        const appended = await real.append(stream, ...rest);
        if (stream.startsWith('mapping-') && lost++ === 0) throw new EventStoreUnavailable('the answer was lost');
        return appended;
      },
    }));
    expect((await system.ask('POST', '/mappings', mapping)).body).to.include({ version: 1, changed: true });
    expect(await registered(system.store)).to.deep.equal([['flat-1', 1]]);
    expect(lost).to.equal(2);
  });

  it('are a conflict when somebody else was faster, unless he said the same', async () => {
    let faster: object | undefined;
    system = await withRegistry((real) => ({
      ...real,
      append: async (stream, events, options) => {
        if (!stream.startsWith('mapping-') || !faster) return real.append(stream, events, options);
        const data = { network: 1, version: 1, mapping: faster };
        await real.append(stream, [{ ...events[0]!, id: crypto.randomUUID(), data }], options);
        faster = undefined;
        throw new WrongExpectedVersion('moved');
      },
    }));
    faster = another;
    const reply = await system.ask('POST', '/mappings', mapping);
    expect([reply.status, codeOf(reply)]).to.deep.equal([409, 'CONFLICT']);
    faster = mapping;
    expect((await system.ask('POST', '/mappings', mapping)).body).to.include({ changed: false });
  });

  it('are 503 while the event store is away', async () => {
    system = await withRegistry();
    await system.node.stop();
    expect((await system.ask('POST', '/mappings', mapping)).status).to.equal(503);
  });
});
