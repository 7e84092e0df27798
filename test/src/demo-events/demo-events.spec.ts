import { createClient, type PopsvcClient } from '@popsvc/client';
import { demoDay, sendDemoEvents } from '@popsvc/tools/demo-events';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startTestServices, type TestServices } from '../support/test-services.ts';

/** The parts of the demo network that the events name. */
const registry = {
  networks: [{ id: 1, name: 'Demo network', timezone: 'Europe/Berlin' }],
  vendors: [{ code: 'demo', name: 'Demo player', network: 1 }],
  sites: [{ id: 11, name: 'Central Station', network: 1, timezone: 'Europe/Berlin' }],
  locations: [{ id: 21, name: 'Main concourse', site: 11 }],
  devices: [
    { id: 31, name: 'Concourse screen', location: 21, screen_ids: ['demo-screen-1'] },
    { id: 32, name: 'Entrance screen', location: 21, screen_ids: ['demo-screen-2'] },
  ],
  feeders: [{ id: 41, name: 'Concourse feed', device: 31 }],
  apps: [{ code: 'player', name: 'Media player' }],
};

describe('the events of npm run demo:events', () => {
  let services: TestServices;
  let client: PopsvcClient;

  before(async () => {
    services = await startTestServices();
    await services.register(registry);
    const apiKey = await services.apiKey(1, 'demo');
    client = createClient({ baseUrl: services.queryUrl, ingestUrl: services.ingestUrl, apiKey });
  });
  after(() => services.close());

  it('give the rows that the guide for partners shows, also if they are sent twice', async () => {
    for (let sent = 0; sent < 2; sent += 1) {
      await sendDemoEvents(client, new Date());
      await services.project();
    }
    const { rows } = await waitUntil(
      () => client.coffeePage(demoDay.window),
      ({ total }) => total === demoDay.coffeeRows,
    );
    expect(rows.map(({ EVENT_ID, POP_TYPE }) => [EVENT_ID, POP_TYPE])).to.deep.equal([
      ['guide-1', 'VIEWER'],
      ['guide-2', 'VIEWER'],
      ['guide-3', 'UNMEASURED'],
      ['guide-4', 'UNMEASURED'],
      ['guide-5', 'UNMEASURED'],
    ]);
    expect(rows.reduce((sum, row) => sum + row.IS_IMPRESSION, 0)).to.equal(2);
    expect((await client.watcherSummaryPage(demoDay.window)).total).to.equal(demoDay.watcherSummaryRows);
  });

  it('make the device online, and give its app an interval', async () => {
    expect((await client.deviceStatus(31)).status).to.equal('online');
    const window = { from: '2026-08-21T14:00:00Z', to: '2026-08-21T14:30:00Z' };
    const { summary } = await client.uptime({ deviceId: 31, appCode: 'player', ...window });
    expect(summary.running_seconds).to.equal(360);
  });
});
