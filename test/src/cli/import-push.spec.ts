import type { Detection } from '@popsvc/client';
import { intakeStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { type Numbered, pushRows, readDetections, senderOfFile } from '@popsvc/cli/import';
import { vendorPushes } from '@popsvc/cli/service-client';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { registerPlaces } from '../command-api/registry.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { popsvcWith } from '@popsvc/tools/rig';
import { fileOf } from './popsvc.fixture.ts';

const detection = (index: number, deviceId: number) => ({
  detectionId: `d-${index}`,
  deviceId,
  watcherId: index,
  startedAt: '2026-09-14T06:05:00.000Z',
  endedAt: '2026-09-14T06:05:20.000Z',
  watches: [],
});

describe('Pushing the rows of a file', () => {
  let system: TestCommandApi;
  before(async () => {
    system = await commandApi();
    await registerPlaces(system.store);
  });
  after(() => system.close());

  it('counts what the service refuses as bad, row by row, and sends the rest', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) =>
      JSON.stringify(detection(index, index % 400 === 7 ? 999 : 11)),
    );
    lines.splice(600, 1, '{"detectionId":', '');
    const file = await fileOf('detections.ndjson', lines.join('\n'));
    const { apiKey } = await system.newKey(1, 'acme');
    const receivedMs = Date.now();
    const { detections: push } = vendorPushes({ ingestUrl: system.baseUrl, apiKey });
    const counts = await pushRows(readDetections(file), push);
    expect(counts).to.deep.include({ rows: 1_203, good: 1_199, distinct: 1_199, bad: 4, accepted: 1_199 });
    const stranger = 'deviceId device 999 is not one of this network';
    const [first, second, unreadable, third] = counts.bad_rows;
    expect([first, second, third]).to.deep.equal([8, 408, 809].map((row) => ({ row, reason: stranger })));
    expect(unreadable?.row).to.equal(601);
    expect(unreadable?.reason).to.match(/^is not JSON/);
    const stored = await system.events(intakeStream('detection', 1, 'acme', receivedMs));
    expect(new Set(stored.map(({ data }) => (data as { detectionId: string }).detectionId)).size).to.equal(1_199);
  });

  it('needs no operations server when the vendor has a key', async () => {
    const file = await fileOf('own.ndjson', JSON.stringify(detection(9_000, 12)));
    const { apiKey } = await system.newKey(1, 'acme');
    const vendor = popsvcWith({ POPSVC_INGEST_URL: system.baseUrl, POPSVC_API_KEY: apiKey });
    const { code, stdout, stderr } = await vendor('import', 'detections', file, '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      detections: { rows: 1, good: 1, distinct: 1, bad: 0, bad_rows: [], accepted: 1 },
    });
  });

  it('stops at a refusal that is about no row', async () => {
    const rows = (async function* () {
      yield await Promise.resolve({ row: 1, id: 'x', item: detection(1, 11) } satisfies Numbered<Detection>);
    })();
    const { detections: push } = vendorPushes({ ingestUrl: system.baseUrl, apiKey: 'acme_sk_nothing' });
    expect(await pushRows(rows, push).catch((error: unknown) => String(error))).to.include('API key');
  });
});

describe('Where a file comes from', () => {
  const registry = RegistryFile.parse({
    ...smallRegistry,
    networks: [...smallRegistry.networks, { id: 90, name: 'Other', timezone: 'UTC' }],
    vendors: [
      ...smallRegistry.vendors,
      { code: 'b1', name: 'B1', network: 90 },
      { code: 'b2', name: 'B2', network: 90 },
    ],
    sites: [...smallRegistry.sites, { id: 91, name: 'S', network: 90, timezone: 'UTC' }],
    locations: [...smallRegistry.locations, { id: 92, name: 'L', site: 91 }],
    devices: [...smallRegistry.devices, { id: 93, name: 'D', location: 92, screen_ids: ['screen-9'] }],
  });
  const sender = (screens: readonly string[], wanted: object = {}) => {
    try {
      return senderOfFile(registry, { screens: new Set(screens) }, wanted);
    } catch (error) {
      return String(error);
    }
  };

  it('is told by its screens or devices, else by the caller', () => {
    expect(sender(['screen-1', 'nobody'])).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(senderOfFile(registry, { devices: new Set([4]) }, {})).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(sender(['screen-9'])).to.include('Network 90 has 2 vendors');
    expect(sender(['screen-9'], { vendor: 'b2' })).to.deep.equal({ network: 90, vendor: 'b2' });
    expect(sender(['nobody'])).to.include('None of the screens');
    expect(sender(['nobody'], { network: 1 })).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(sender(['screen-1', 'screen-9'])).to.include('more than one network');
  });
});
