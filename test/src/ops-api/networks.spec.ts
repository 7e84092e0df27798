import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import { createPush, playOf } from '../query-api/event-status.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

type Summary = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;

describe('GET /ops/v1/networks/summary', function () {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
  });
  after(() => system.close());

  const read = async (): Promise<readonly Summary[]> => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const response = await fetch(`${system.opsUrl}/ops/v1/networks/summary`, { headers });
    const body = (await response.json()) as { readonly networks: readonly Summary[] };
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body.networks;
  };

  it('is empty without networks', async () => {
    expect(await read()).to.deep.equal([]);
  });

  it('counts devices, plays and quarantined events of each network, and has the newest receipts', async () => {
    await system.register(smallRegistry);
    await system.register({
      networks: [
        { id: 2, name: 'Arcade', timezone: 'UTC', retired: true },
        { id: 3, name: 'Inland Media', timezone: 'UTC' },
      ],
      sites: [{ id: 20, name: 'Closed', network: 1, timezone: 'UTC', retired: true }],
      devices: [
        { id: 40, name: 'Silent', location: 3, screen_ids: [] },
        { id: 41, name: 'Gone', location: 3, screen_ids: [], retired: true },
      ],
    });
    const nowMs = Date.now();
    const [now, before] = [instantOf(nowMs), instantOf(nowMs - hourMs)];
    await system.heartbeat({ deviceId: 4, at: now }, { receivedAt: now });
    await system.heartbeat({ deviceId: 40, at: before }, { receivedAt: before });
    const push = createPush(system, await system.apiKey());
    const play = playOf('first');
    await push('/pop/events', { events: [play, play, playOf('second')] });
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [{ id: 1 }] });
    await system.project();
    const [harbour, inland, arcade] = await read();
    expect(harbour).to.deep.include({
      id: 1,
      name: 'Harbour Media',
      timezone: 'Europe/London',
      retired: false,
      sites: 1,
      devices: 2,
      online: 1,
      plays: 2,
      quarantined: 1,
      last_heartbeat_at: now,
    });
    expect(Date.parse(String(harbour?.['last_plays_hour']))).to.be.within(nowMs - hourMs, Date.now());
    expect(Date.parse(String(harbour?.['data_as_of']))).to.be.within(nowMs - 1_000, Date.now());
    const { data_as_of: asOf, ...rest } = inland!;
    expect(asOf).to.equal(harbour?.['data_as_of']);
    expect(rest).to.deep.equal({
      ...{ id: 3, name: 'Inland Media', timezone: 'UTC', retired: false, sites: 0, devices: 0, online: 0, plays: 0 },
      ...{ quarantined: 0, last_heartbeat_at: null, last_plays_hour: null },
    });
    expect(arcade).to.deep.include({ id: 2, name: 'Arcade', retired: true });
  });
});
