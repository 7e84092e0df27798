import { randomUUID } from 'node:crypto';
import { MappingRegistered } from '@popsvc/contracts/events';
import { type EventStore, EventStoreUnavailable, WrongExpectedVersion } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, type TestOps } from './ops.fixture.ts';
import { codeOf, pathsOf } from './registry.fixture.ts';

// cspell:ignore acma

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

const readRegistered = async (store: EventStore, vendor = 'acme') => {
  const events = [];
  for await (const { type, data, metadata } of store.readStream(`mapping-${vendor}`)) {
    expect(type).to.equal('MappingRegistered');
    expect(metadata).to.include({ network: 1, vendor, schemaVersion: 1 });
    events.push(MappingRegistered.read(data, metadata.schemaVersion));
  }
  return events.map(({ version, mapping: registered }) => [registered.schema_version, version]);
};

const startWithRegistry = async (between?: (store: EventStore) => EventStore): Promise<TestOps> => {
  const system = await startTestOps({}, between);
  expect((await system.request('POST', '/registry', smallRegistry)).status).to.equal(200);
  return system;
};

describe('/ops/v1/mappings', () => {
  let system: TestOps | undefined;
  afterEach(() => system?.close());

  it('are tested with a sample: the plays, the bad rows and the result of each field; nothing is registered', async () => {
    system = await startWithRegistry();
    const row = { screen: 'S-1', campaign: 'C-1', asset: 'CR-1', start: '2026-08-20T14:00:00Z', length: 10 };
    const lines = [row, { ...row, length: 'ten' }].map((each) => JSON.stringify(each));
    const sample = `${lines.join('\n')}\nnot JSON\n`;
    const { status, body } = await system.request('POST', '/mappings/test', { mapping, format: 'ndjson', sample });
    expect(status).to.equal(200);
    const report = body as {
      rows: number;
      fields: readonly { field: string }[];
      bad_rows: readonly object[];
      first_plays: readonly object[];
    };
    expect(report).to.include({ rows: 3, plays: 1, distinct: 1, bad: 2 });
    expect(report.first_plays[0]).to.include({ screenId: 'S-1', durationMs: 10_000 });
    expect(report.bad_rows.map((bad) => (bad as { row: number; code: string }).code)).to.deep.equal([
      'unparsable',
      'unreadable',
    ]);
    expect(report.fields.find(({ field }) => field.startsWith('duration'))).to.include({ found: 1, unparsable: 1 });
    const csv = await system.request('POST', '/mappings/test', { mapping, format: 'csv', sample: 'a,a\n1,2\n' });
    expect([csv.status, pathsOf(csv)]).to.deep.equal([400, ['sample']]);
    const wrong = { mapping: { ...mapping, fields: {} }, format: 'xml', sample: '' };
    expect(pathsOf(await system.request('POST', '/mappings/test', wrong))).to.include.members(['format', 'sample']);
    expect(await readRegistered(system.store)).to.deep.equal([]);
    const audited = (await system.request('GET', '/audit?action=testMapping')).body;
    expect(audited).to.deep.equal({ actions: [], next_after: null });
  });

  it('registers a mapping once, however often it is sent, and counts versions by schema version', async () => {
    system = await startWithRegistry();
    const apply = async (body: object) => (await system!.request('POST', '/mappings', body)).body;
    const applied = { vendor: 'acme', network_id: 1, schema_version: 'flat-1' };
    expect(await apply(mapping)).to.deep.equal({ ...applied, version: 1, changed: true });
    expect(await apply(mapping)).to.deep.equal({ ...applied, version: 1, changed: false });
    expect(await apply(another)).to.deep.equal({ ...applied, version: 2, changed: true });
    expect(await apply({ ...mapping, schema_version: 'flat-2' })).to.deep.equal({
      ...applied,
      schema_version: 'flat-2',
      version: 1,
      changed: true,
    });
    expect(await apply(mapping), 'the first mapping again').to.deep.equal({ ...applied, version: 3, changed: true });
    expect(await readRegistered(system.store)).to.deep.equal([
      ['flat-1', 1],
      ['flat-1', 2],
      ['flat-2', 1],
      ['flat-1', 3],
    ]);
  });

  it('lists the mappings in force', async () => {
    system = await startWithRegistry();
    expect((await system.request('GET', '/mappings')).body).to.deep.equal([]);
    const before = Date.now();
    await system.request('POST', '/mappings', mapping);
    await system.request('POST', '/mappings', another);
    const { status, body } = await system.request('GET', '/mappings');
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
    expect((await system.request('GET', '/mappings?vendor=acme')).status).to.equal(400);
  });

  it('counts versions that only a newer release can read', async () => {
    system = await startWithRegistry();
    await system.request('POST', '/mappings', mapping);
    const metadata = { schemaVersion: 99, receivedAt: '2026-08-20T14:00:00.000Z', network: 1, vendor: 'acme' };
    const data = { network: 1, version: 2, mapping: { vendor: 'acme', schema_version: 'flat-1', rules: [] } };
    await system.store.append('mapping-acme', [{ id: randomUUID(), type: MappingRegistered.type, data, metadata }]);
    const { body } = await system.request('POST', '/mappings', another);
    expect(body).to.include({ version: 3, changed: true });
  });

  it('rejects an unknown or retired vendor', async () => {
    system = await startWithRegistry();
    const gone = { vendors: [{ code: 'gone', name: 'Gone', network: 1, retired: true }] };
    await system.request('POST', '/registry', gone);
    for (const vendor of ['acma', 'gone']) {
      const reply = await system.request('POST', '/mappings', { ...mapping, vendor });
      expect([reply.status, codeOf(reply), pathsOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST', ['vendor']]);
    }
    expect(await readRegistered(system.store, 'gone')).to.deep.equal([]);
  });

  it('names every invalid field, and rejects requests without the operator token', async () => {
    system = await startWithRegistry();
    const fields = {
      ...mapping.fields,
      screenId: { path: 'a[' },
      siteID: { path: 'b' },
      playedAt: { path: 's', zone: 'x' },
    };
    const reply = await system.request('POST', '/mappings', { ...mapping, fields });
    expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST']);
    expect(pathsOf(reply)).to.have.members(['fields.screenId.path', 'fields.siteID', 'fields.playedAt.zone']);
    expect((await system.request('POST', '/mappings', mapping, 'a-wrong-token')).status).to.equal(401);
  });

  it('registers a mapping once when the response of the event store was lost', async () => {
    let lost = 0;
    system = await startWithRegistry((real) => ({
      ...real,
      append: async (stream, ...rest) => {
        const appended = await real.append(stream, ...rest);
        if (stream.startsWith('mapping-') && lost++ === 0) throw new EventStoreUnavailable('the response was lost');
        return appended;
      },
    }));
    expect((await system.request('POST', '/mappings', mapping)).body).to.include({ version: 1, changed: true });
    expect(await readRegistered(system.store)).to.deep.equal([['flat-1', 1]]);
    expect(lost).to.equal(2);
  });

  it('responds with a conflict after a concurrent change, unless it is the same mapping', async () => {
    let concurrent: object | undefined;
    system = await startWithRegistry((real) => ({
      ...real,
      append: async (stream, events, options) => {
        if (!stream.startsWith('mapping-') || !concurrent) return real.append(stream, events, options);
        const data = { network: 1, version: 1, mapping: concurrent };
        await real.append(stream, [{ ...events[0]!, id: crypto.randomUUID(), data }], options);
        concurrent = undefined;
        throw new WrongExpectedVersion('moved');
      },
    }));
    concurrent = another;
    const reply = await system.request('POST', '/mappings', mapping);
    expect([reply.status, codeOf(reply)]).to.deep.equal([409, 'CONFLICT']);
    concurrent = mapping;
    expect((await system.request('POST', '/mappings', mapping)).body).to.include({ changed: false });
  });

  it('responds with 503 while the event store is down', async () => {
    system = await startWithRegistry();
    await system.node.stop();
    expect((await system.request('POST', '/mappings', mapping)).status).to.equal(503);
  });
});
