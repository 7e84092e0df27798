import type { Detection } from '@popsvc/client';
import { intakeStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { type NumberedRow, pushRows, readDetections, resolveSender } from '@popsvc/cli/import';
import { createVendorPushes } from '@popsvc/cli/service-client';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { registerPlaces } from '../command-api/registry.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { createPopsvcCommand } from '@popsvc/tools/rig';
import { writeTemporaryFile } from './popsvc.fixture.ts';

const detection = (index: number, deviceId: number) => ({
  detectionId: `d-${index}`,
  deviceId,
  watcherId: index,
  startedAt: '2026-09-14T06:05:00.000Z',
  endedAt: '2026-09-14T06:05:20.000Z',
  watches: [],
});

describe('popsvc import: pushRows', () => {
  const receivedMs = Date.now();
  let system: TestCommandApi;
  before(async () => {
    // The events of the service have one day, even if midnight passes during the test.
    system = await commandApi({ clock: { now: () => receivedMs } });
    await registerPlaces(system.store);
  });
  after(() => system.close());

  it('counts rows that the service rejects as bad and pushes the rest', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) =>
      JSON.stringify(detection(index, index % 400 === 7 ? 999 : 11)),
    );
    lines.splice(600, 1, '{"detectionId":', '');
    const file = await writeTemporaryFile('detections.ndjson', lines.join('\n'));
    const { apiKey } = await system.newKey(1, 'acme');
    const { detections: push } = createVendorPushes({ ingestUrl: system.baseUrl, apiKey });
    const counts = await pushRows(readDetections(file), push);
    expect(counts).to.deep.include({ rows: 1_203, good: 1_199, distinct: 1_199, bad: 4, accepted: 1_199 });
    const foreignDevice = 'deviceId device 999 is not one of this network';
    const [first, second, unreadable, third] = counts.bad_rows;
    expect([first, second, third]).to.deep.equal([8, 408, 809].map((row) => ({ row, reason: foreignDevice })));
    expect(unreadable?.row).to.equal(601);
    expect(unreadable?.reason).to.match(/^is not JSON/);
    const stored = await system.items(intakeStream('detection', 1, 'acme', receivedMs));
    const ids = stored.map(({ data }) => (data as { detectionId: string }).detectionId);
    expect(new Set(ids).size).to.equal(1_199);
  });

  it('needs no operations server if the vendor has a key', async () => {
    const file = await writeTemporaryFile('own.ndjson', JSON.stringify(detection(9_000, 12)));
    const { apiKey } = await system.newKey(1, 'acme');
    const vendor = createPopsvcCommand({ POPSVC_INGEST_URL: system.baseUrl, POPSVC_API_KEY: apiKey });
    const { code, stdout, stderr } = await vendor('import', 'detections', file, '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      detections: { rows: 1, good: 1, distinct: 1, bad: 0, bad_rows: [], accepted: 1 },
    });
  });

  it('stops at an error that is not about a row', async () => {
    const rows = (async function* () {
      yield await Promise.resolve({ row: 1, id: 'x', item: detection(1, 11) } satisfies NumberedRow<Detection>);
    })();
    const { detections: push } = createVendorPushes({ ingestUrl: system.baseUrl, apiKey: 'acme_sk_nothing' });
    expect(await pushRows(rows, push).catch((error: unknown) => String(error))).to.include('API key');
  });
});

describe('popsvc import: resolveSender', () => {
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
  const senderOf = (screens: readonly string[], requested: object = {}) => {
    try {
      return resolveSender(registry, { screens: new Set(screens) }, requested);
    } catch (error) {
      return String(error);
    }
  };

  it('resolves the sender by screens, devices or options, and rejects ambiguous files', () => {
    expect(senderOf(['screen-1', 'unknown'])).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(resolveSender(registry, { devices: new Set([4]) }, {})).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(senderOf(['screen-9'])).to.include('Network 90 has 2 vendors');
    expect(senderOf(['screen-9'], { vendor: 'b2' })).to.deep.equal({ network: 90, vendor: 'b2' });
    expect(senderOf(['unknown'])).to.include('None of the screens');
    expect(senderOf(['unknown'], { network: 1 })).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(senderOf(['screen-1', 'screen-9'])).to.include('more than one network');
  });
});
