import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BulkWarning, contentHash, createClient, type PopsvcClient, ServiceError } from '@popsvc/client';
import { createClient as registerClient } from '@popsvc/http-kit/auth/tokens';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { type TestServices, startTestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { flatMapping } from '../worker/worker.fixture.ts';

const window = { from: '2026-08-20', to: '2026-08-21' };
const start = Date.parse('2026-08-20T14:00:00.000Z');
const plays = Array.from({ length: 23 }, (_, index) => ({
  eventId: `e-${index}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  // Several begin in the same millisecond.
  playedAt: new Date(start + Math.floor(index / 4) * 10_000).toISOString(),
  durationMs: 10_000,
  startReason: undefined,
}));

// cspell:ignore Netz
describe('the client against the service', () => {
  let system: TestServices;
  let vendor: PopsvcClient;
  let partner: PopsvcClient;
  let beganMs: number;

  const partnerOf = async (networkIds: readonly number[]) => {
    const { client, clientSecret } = await registerClient(system.postgres, { networkIds });
    return createClient({ baseUrl: system.queryUrl, clientId: client.clientId, clientSecret });
  };
  const failureOf = async (work: Promise<unknown>): Promise<ServiceError> => {
    const failure = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof ServiceError)) throw new Error(`not a ServiceError: ${String(failure)}`);
    return failure;
  };

  before(async function () {
    beganMs = Date.now();
    system = await startTestServices();
    await system.register({
      ...smallRegistry,
      networks: [...smallRegistry.networks, { id: 9, name: 'Café Netz 100 %', timezone: 'Europe/Berlin' }],
    });
    vendor = createClient({ baseUrl: system.queryUrl, ingestUrl: system.ingestUrl, apiKey: await system.apiKey() });
    partner = await partnerOf([1, 9]);
    await vendor.recordPlays(plays);
    await vendor.recordDetections([
      {
        detectionId: 'd-1',
        deviceId: 4,
        watcherId: 7,
        startedAt: new Date(start).toISOString(),
        endedAt: new Date(start + 5_000).toISOString(),
        watches: [],
      },
    ]);
    await system.project();
  });
  after(() => system.close());

  it('returns the number of accepted plays and the status of one', async () => {
    const heartbeat = { deviceId: 4, at: new Date().toISOString() };
    expect(await vendor.recordHeartbeats([heartbeat])).to.include({ eventCount: 1 });
    const interval = { deviceId: 4, appCode: 'player', state: 'running' as const, startedAt: heartbeat.at };
    expect(await vendor.recordIntervals([interval])).to.include({ eventCount: 1 });
    expect(await vendor.recordDynamic('v1', [{ any: 'thing' }])).to.include({ eventCount: 1 });
    expect(await vendor.eventStatus('e-0')).to.include({ eventId: 'e-0', status: 'projected' });
    const checked = await vendor.recordPlays(plays, { validateOnly: true });
    expect(checked).to.include({ eventCount: plays.length }).and.not.have.property('acceptedAt');
  });

  it('compares plays with the stored ones, by hash and by counts', async () => {
    const events = plays.slice(1).map((play) => ({ eventId: play.eventId, contentHash: contentHash(play) }));
    const [first, ...others] = events;
    const changed = { ...first!, contentHash: contentHash({ ...plays[1]!, durationMs: 9_999 }) };
    const compared = await vendor.reconcile({
      from: new Date(start),
      to: '2026-08-20T15:00:00Z',
      events: [changed, ...others, { eventId: 'not-sent' }],
    });
    expect(compared).to.deep.equal({
      matched: 21,
      missing: ['not-sent'],
      different: ['e-1'],
      extra: ['e-0'],
      extraCount: 1,
    });
    const hour = '2026-08-20T14:00:00.000Z';
    const counts = [{ screenId: 'screen-1', hour, count: 22 }];
    expect(await vendor.reconcile({ from: hour, to: '2026-08-20T16:00:00Z', counts })).to.deep.equal({
      equal: 0,
      differences: [{ screenId: 'screen-1', hour, sent: 22, stored: 23 }],
      differenceCount: 1,
    });
  });

  it('returns the errors of a push, and stores an idempotency key once', async () => {
    const failure = await failureOf(vendor.recordPlays([{ ...plays[0]!, durationMs: 0 }]));
    expect(failure).to.include({ status: 400, code: 'INVALID_EVENT' });
    expect(failure.details.map(({ path }) => path)).to.deep.equal(['events[0].durationMs']);
    expect(failure.requestId).to.be.a('string');
    const idempotencyKey = 'mine';
    const heartbeats = [{ deviceId: 4, at: new Date().toISOString() }];
    await vendor.recordHeartbeats(heartbeats, { idempotencyKey });
    const [one, other] = [{ deviceId: 4, at: '2026-08-20T14:00:00Z' }, { idempotencyKey }];
    expect(await failureOf(vendor.recordHeartbeats([one], other))).to.include({ status: 409, code: 'CONFLICT' });
  });

  for (const sort of ['asc', 'desc'] as const)
    it(`reads every row once across pages, ${sort}`, async () => {
      const seen: string[] = [];
      for await (const row of partner.coffee({ ...window, limit: 3, sort })) seen.push(row.EVENT_ID);
      expect(seen.toSorted()).to.deep.equal(plays.map(({ eventId }) => eventId).toSorted());
    });

  it('returns a page with the totals of the window', async () => {
    const page = await partner.coffeePage({
      from: new Date(start),
      to: new Date(start + 86_400_000),
      siteId: 2,
      limit: 5,
    });
    expect(page).to.include({ total: 23, count: 5, limit: 5 });
    expect(Date.parse(page.asOf ?? '')).to.be.within(beganMs, Date.now());
    expect(page.rows[0]).to.include({ EVENT_ID: 'e-0', NETWORK_NAME: 'Harbour Media', WATCHERID: 7 });
    const next = await partner.coffeePage({ ...window, limit: 5, after: page.next_after! });
    expect(next.rows.map(({ EVENT_ID: id }) => id)).to.not.include.members(page.rows.map(({ EVENT_ID: id }) => id));
  });

  it('reads watcher summaries and metric definitions', async () => {
    const seen = [];
    for await (const row of partner.watcherSummary({ from: new Date(start), to: new Date(start + 10_000) }))
      seen.push(row);
    expect(seen.map(({ WATCHERID: id }) => id)).to.deep.equal([7]);
    const [standard] = await partner.metricDefinitions();
    expect(standard).to.include({ network_id: 1, version: 0, effective_from: null });
  });

  it('reads what changed since a cursor', async () => {
    const { changes, next_since: since, has_more: hasMore } = await partner.coffeeChanges({ limit: 5 });
    expect([changes.length, hasMore]).to.deep.equal([5, true]);
    expect(changes[0]).to.include({ op: 'upsert' });
    const rest = await partner.coffeeChanges({ since, siteId: 2 });
    expect([rest.changes.length, rest.has_more]).to.deep.equal([plays.length - 5, false]);
    const now = await partner.watcherSummaryChangesStart();
    expect(await partner.watcherSummaryChanges({ since: now })).to.deep.include({ changes: [], has_more: false });
  });

  it('downloads into a file', async () => {
    const path = join(await temporaryFolder('client'), 'coffee.csv');
    const { bytes, fileName } = await partner.downloadCoffee(window, path);
    expect(fileName).to.equal('coffee_20260820_20260821.csv');
    const text = await readFile(path, 'utf8');
    expect(Buffer.byteLength(text)).to.equal(bytes);
    expect(text.trimEnd().split('\r\n')).to.have.length(1 + plays.length);
  });

  it('sends network names in any script', async () => {
    expect(await partner.coffeePage({ ...window, network: 'Café Netz 100 %' })).to.include({ total: 0 });
    expect(await partner.coffeePage({ ...window, network: 'harbour media ' })).to.include({ total: 23 });
    expect(await failureOf(partner.coffeePage({ ...window, network: 'Unknown' }))).to.include({ status: 401 });
  });

  it('throws the errors of the service: a window of more than 31 days, a site without access', async () => {
    const long = await failureOf(partner.coffeePage({ from: '2026-08-01', to: '2026-09-02' }));
    expect(long).to.include({ status: 400, code: 'INVALID_PARAM' });
    expect(await failureOf(partner.coffeePage({ ...window, siteId: 3_000 }))).to.include({ status: 401 });
  });

  it('reads the status of devices and the uptime of an app', async () => {
    expect((await partner.deviceStatuses({ siteId: [2] })).map(({ id }) => id)).to.deep.equal([4]);
    expect((await partner.feederStatuses()).map(({ id, device }) => [id, device.id])).to.deep.equal([[5, 4]]);
    expect(await partner.deviceStatus(4)).to.include({ id: 4, name: 'Entrance' });
    expect(await partner.feederStatus(5)).to.include({ id: 5 });
    expect(await failureOf(partner.deviceStatus(77))).to.include({ status: 404, code: 'NOT_FOUND' });
    const uptime = await partner.uptime({
      deviceId: 4,
      appCode: 'player',
      from: '2026-08-20T14:00:00Z',
      to: new Date(start + 60_000),
    });
    expect(uptime.window.window_seconds).to.equal(60);
  });

  it('uploads a file from disk and starts its job', async () => {
    const path = join(await temporaryFolder('client'), 'plays.ndjson');
    await writeFile(path, '{"a":1}\n'.repeat(1_000));
    const fileId = await vendor.uploadFile(path, { format: 'ndjson' });
    const jobId = await vendor.startIngest(fileId, { schemaVersion: 'v1', metadata: { batch: 7 } });
    expect(await vendor.startIngest(fileId, { schemaVersion: 'v1', metadata: { batch: 7 } })).to.equal(jobId);
    expect(await vendor.bulkJob(jobId)).to.include({ jobId, status: 'queued', sizeBytes: 8_000 });
    const waiting = vendor.waitForJob(jobId, { signal: AbortSignal.timeout(50) });
    expect(await waiting.catch((error: unknown) => error)).to.have.property('name', 'TimeoutError');
    await writeFile(`${path}.gz`, gzipSync('{"a":1}\n'.repeat(1_000)));
    const compressedId = await vendor.uploadFile(`${path}.gz`, { format: 'ndjson', contentEncoding: 'gzip' });
    const compressedJobId = await vendor.startIngest(compressedId, { schemaVersion: 'v1' });
    expect(await vendor.bulkJob(compressedJobId)).to.include({ sizeBytes: 8_000 });
    await system.store.append('mapping-acme', [
      {
        id: crypto.randomUUID(),
        type: 'MappingRegistered',
        data: { network: 1, version: 1, mapping: flatMapping },
        metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 1, vendor: 'acme' },
      },
    ]);
    await writeFile(`${path}.csv`, 'id;Screen;campaign;asset;start;duration\n');
    const csvId = await vendor.uploadFile(`${path}.csv`, { format: 'csv' });
    const warnings: unknown[] = [];
    const onWarnings = (found: readonly BulkWarning[]) => warnings.push(...found.map(({ value }) => value));
    const csvJobId = await vendor.startIngest(csvId, { schemaVersion: flatMapping.schema_version, onWarnings });
    expect(await vendor.bulkJob(csvJobId)).to.include({ delimiter: ';' });
    expect(warnings).to.deep.equal(['screen']);
    const missing = vendor.uploadFile(`${path}.absent`, { format: 'csv' });
    expect(await missing.catch((error: unknown) => error)).to.have.property('code', 'ENOENT');
  });

  it('names the missing URL', async () => {
    const failure = await partner.recordPlays(plays).catch((error: unknown) => error);
    expect(failure).to.have.property('message').that.includes('ingestUrl');
  });
});
