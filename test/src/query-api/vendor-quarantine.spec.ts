import { VendorQuarantine } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { createPush, registerMapping } from './event-status.fixture.ts';
import { createVendorReader, expectInvalid, registerConstantMapping } from './vendor-reads.fixture.ts';

const own = (ref: string, overrides: object = {}) => ({
  ...{ ref, screen: 'screen-1', io: 'C-100', asset: 'CR-1', start: '2026-08-20T14:00:00Z', seconds: 10 },
  ...overrides,
});

describe('the quarantine of a vendor', function () {
  let system: TestServices;
  let acme: string;
  const startedMs = Date.now();
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    await registerMapping(system, { version: 1 });
    acme = await system.apiKey();
    const push = createPush(system, acme);
    await push('/pop/dynamic', {
      schemaVersion: 'unknown-1',
      events: [{ n: 1 }, { n: 2 }, { text: 'x'.repeat(3_000) }],
    });
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [own('late', { start: 'noon' }), own('good')] });
    const bulk = { jobId: 'job-1', rows: [41, 42] };
    await system.append('bulk-1.job-1', 'DynamicPlaysRecorded', {
      schemaVersion: 'files-1',
      items: [{ r: 41 }, { r: 42 }],
      bulk,
    });
    for (const [network, vendor] of [
      [1, 'beta'],
      [2, 'acme'],
    ] as const)
      await createPush(system, await system.apiKey(network, vendor))('/pop/dynamic', {
        schemaVersion: 'unknown-1',
        events: [{ foreign: network }],
      });
    await system.project();
  });
  after(() => system.close());

  const request = (query = '', key: string | undefined = acme) =>
    createVendorReader(system.ingestUrl)<VendorQuarantine>(`/quarantine${query}`, key);
  const read = async (query = '', key = acme) => {
    const { status, body } = await request(query, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return VendorQuarantine.parse(body).data;
  };
  const contents = ({ rows }: VendorQuarantine['data']) => rows.map(({ content }) => JSON.parse(content) as unknown);

  it('lists waiting events and rows with their reasons, newest first', async () => {
    const { rows, count, next_before } = await read('?schema_version=own-1');
    expect([count, next_before]).to.deep.equal([1, null]);
    expect(rows[0]).to.include({ schemaVersion: 'own-1', eventId: 'late', code: 'unparsable' });
    expect(rows[0]).to.not.have.any.keys('jobId', 'row');
    expect(rows[0]?.reason).to.include('start').and.include('noon');
    expect(Date.parse(rows[0]?.receivedAt ?? '')).to.be.within(startedMs, Date.now());
    expect(JSON.parse(rows[0]?.content ?? '')).to.deep.equal(own('late', { start: 'noon' }));
    expect((await read()).rows.map(({ schemaVersion }) => schemaVersion)).to.deep.equal([
      ...['files-1', 'files-1', 'own-1'],
      ...['unknown-1', 'unknown-1', 'unknown-1'],
    ]);
  });

  it('names the job and the row of a file', async () => {
    const { rows, reasons } = await read('?job_id=job-1');
    expect(rows.map(({ jobId, row, code, eventId }) => [jobId, row, code, eventId])).to.deep.equal([
      ['job-1', 42, 'no_mapping', null],
      ['job-1', 41, 'no_mapping', null],
    ]);
    expect(reasons.map(({ count }) => count)).to.deep.equal([2]);
    expect((await read('?job_id=job-2')).rows).to.deep.equal([]);
  });

  it('counts the reasons over all pages', async () => {
    const { reasons } = await read('?limit=1');
    expect(reasons.map(({ schemaVersion, code, count }) => [schemaVersion, code, count])).to.deep.equal([
      ['unknown-1', 'no_mapping', 3],
      ['files-1', 'no_mapping', 2],
      ['own-1', 'unparsable', 1],
    ]);
    expect(reasons[2]?.latestReason).to.include('start');
  });

  it('is divided into pages', async () => {
    const { rows } = await read();
    for (const limit of [1, 2, 6, 7]) {
      const paged: (typeof rows)[number][] = [];
      let before: string | null = '';
      while (before !== null) {
        const page: VendorQuarantine['data'] = await read(`?limit=${limit}${before && `&before=${before}`}`);
        paged.push(...page.rows);
        expect(page.count).to.equal(page.rows.length);
        if (page.next_before !== null) expect(page.count).to.equal(limit);
        before = page.next_before;
      }
      expect(paged, `pages of ${limit}`).to.deep.equal(rows);
    }
  });

  it('shortens long events', async () => {
    const [longest] = (await read('?schema_version=unknown-1')).rows;
    expect(longest?.content).to.equal(`{"text":"${'x'.repeat(991)}`);
  });

  it('contains only the events of the vendor and network of the key', async () => {
    expect(contents(await read('', await system.apiKey(1, 'beta')))).to.deep.equal([{ foreign: 1 }]);
    expect(contents(await read('', await system.apiKey(2, 'acme')))).to.deep.equal([{ foreign: 2 }]);
    expect(await read('', await system.apiKey(3, 'acme'))).to.include({ count: 0, next_before: null });
  });

  it('refuses invalid parameters and requests without a key', async () => {
    expectInvalid(await request('?limit=0'), 'limit');
    expectInvalid(await request('?limit=201'), 'limit');
    expectInvalid(await request('?before=yesterday'), 'before');
    expectInvalid(await request('?before=9999999999999999999'), 'before');
    expectInvalid(await request('?schema_version='), 'schema_version');
    expectInvalid(await request('?vendor=beta'), 'vendor');
    expect((await createVendorReader(system.ingestUrl)('/quarantine', undefined)).status).to.equal(401);
  });

  it('loses events as soon as a mapping converts them', async () => {
    await registerMapping(system, { version: 2, start: 'start' });
    await registerConstantMapping(system);
    await system.project();
    const { reasons, rows } = await read('?schema_version=unknown-1');
    expect(rows.map(({ code }) => code)).to.deep.equal(['missing']);
    expect(reasons.map(({ count }) => count)).to.deep.equal([1]);
  });
});
