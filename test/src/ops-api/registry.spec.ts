import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, type TestOps } from './ops.fixture.ts';
import { expectApplied, readRegistryEvents } from './registry.fixture.ts';

const london = smallRegistry.sites[0];

describe('POST /ops/v1/registry', () => {
  let system: TestOps;
  before(async () => {
    system = await startTestOps();
  });
  after(() => system.close());

  const apply = async (file: unknown, query = '') =>
    expectApplied(await system.request('POST', `/registry${query}`, file));
  const exported = async () => (await system.request('GET', '/registry')).body as Record<string, object[]>;

  it('returns the changes of a dry run without applying them', async () => {
    const { created, dry_run: dryRun, changes } = await apply(smallRegistry, '?dry_run=true');
    expect(dryRun).to.equal(true);
    expect(created).to.include({ networks: 1, devices: 1, creatives: 1, metric_definitions: 0 });
    expect(changes).to.have.length(10);
    expect(await readRegistryEvents(system.store)).to.deep.equal([]);
    expect((await exported())['networks']).to.deep.equal([]);
  });

  it('registers new entities, referenced ones first', async () => {
    const { created, changed, retired, unchanged } = await apply(smallRegistry);
    expect(created).to.include({
      networks: 1,
      vendors: 1,
      sites: 1,
      locations: 1,
      devices: 1,
      campaigns: 1,
      creatives: 1,
    });
    for (const counts of [changed, retired, unchanged])
      expect(new Set(Object.values(counts))).to.deep.equal(new Set([0]));
    expect(await readRegistryEvents(system.store)).to.deep.equal([
      'registry-network.1 NetworkRegistered',
      'registry-vendor.acme VendorRegistered',
      'registry-site.2 SiteRegistered',
      'registry-location.3 LocationRegistered',
      'registry-device.4 DeviceRegistered',
      'registry-feeder.5 FeederRegistered',
      'registry-camera.6 CameraRegistered',
      'registry-app.player AppRegistered',
      'registry-campaign.7 CampaignRegistered',
      'registry-creative.1%2FCR-1 CreativeRegistered',
    ]);
  });

  it('changes nothing when the file is applied again', async () => {
    const before = await readRegistryEvents(system.store);
    const { unchanged, changes } = await apply(smallRegistry);
    expect(unchanged).to.include({ networks: 1, devices: 1, creatives: 1 });
    expect(changes).to.deep.equal([]);
    expect(await readRegistryEvents(system.store)).to.deep.equal(before);
  });

  it('returns the old and new value of each changed field', async () => {
    const { changed, changes } = await apply({
      sites: [{ ...london, name: 'Quayside Centre', business_hours: undefined }],
    });
    expect(changed).to.include({ sites: 1, networks: 0 });
    expect(changes).to.deep.equal([
      {
        kind: 'sites',
        key: '2',
        change: 'changed',
        fields: {
          name: { from: 'Quayside', to: 'Quayside Centre' },
          business_hours: { from: { thu: ['07:00-22:00'] }, to: null },
        },
      },
    ]);
  });

  it('retires an entity and registers it again, both in the log', async () => {
    const [camera] = smallRegistry.cameras;
    const retired = await apply({ cameras: [{ ...camera, retired: true }] });
    expect(retired.retired).to.include({ cameras: 1 });
    expect(retired.changes[0]).to.deep.include({ change: 'retired', fields: { retired: { from: null, to: true } } });
    expect((await exported())['cameras']).to.deep.equal([{ ...camera, retired: true }]);
    expect((await apply({ cameras: [camera] })).changed).to.include({ cameras: 1 });
    expect((await readRegistryEvents(system.store)).filter((line) => line.includes('camera'))).to.deep.equal([
      'registry-camera.6 CameraRegistered',
      'registry-camera.6 CameraRetired',
      'registry-camera.6 CameraRegistered',
    ]);
  });

  it('exports a file whose application changes nothing', async () => {
    await apply({
      devices: [{ ...smallRegistry.devices[0], name: 'Main entrance', effective_from: '2026-08-20T02:00:00+02:00' }],
      metric_definitions: [
        { network: 1, version: 1, effective_from: '2199-01-01T00:00:00Z', thresholds: { impression_ms: 1_500 } },
      ],
      feeders: [{ ...smallRegistry.feeders[0], retired: true }],
    });
    const file = await exported();
    expect(file['devices']).to.deep.equal([
      { ...smallRegistry.devices[0], name: 'Main entrance', effective_from: '2026-08-20T00:00:00.000Z' },
    ]);
    const before = await readRegistryEvents(system.store);
    const { changes, unchanged } = await apply(file);
    expect(changes).to.deep.equal([]);
    expect(unchanged).to.include({ devices: 1, feeders: 1, metric_definitions: 1 });
    expect(await readRegistryEvents(system.store)).to.deep.equal(before);
  });

  it('applies two concurrent files one after the other', async () => {
    const device = (id: number) => ({ id, name: `Twin ${id}`, location: 3, screen_ids: ['screen-twin'] });
    const replies = await Promise.all(
      [11, 12].map((id) => system.request('POST', '/registry', { devices: [device(id)] })),
    );
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
  });
});
