import { liveBatchLimits } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { at, coffeeSystem } from './coffee.fixture.ts';

describe('coffee and the registry', () => {
  const coffee = coffeeSystem();

  it('shows a play of an unknown screen in the network time zone until the screen is registered', async () => {
    await coffee.projectAfterEach(() =>
      coffee.system.play({ eventId: 'P', screenId: 'new-screen', campaignId: 'C-200', creativeId: 'CR-9' }),
    );
    const place = async () => {
      const [row] = await coffee.rows();
      return [
        row!['SITE_ID'],
        row!['DEVICE_NAME'],
        row!['SITE_TZ'],
        row!['IS_BUSINESSHOUR'],
        row!['CAMPAIGN_ID'],
        row!['TITLE'],
      ];
    };
    expect(await place()).to.deep.equal([null, null, 'Europe/London', null, null, null]);
    await coffee.projectAfterEach(() =>
      coffee.system.register({
        sites: [
          { id: 22, name: 'Oslo', network: 1, timezone: 'Europe/Oslo', business_hours: { fri: ['07:00-22:00'] } },
        ],
        locations: [{ id: 33, name: 'Hall', site: 22 }],
        devices: [{ id: 44, name: 'Hall screen', location: 33, screen_ids: ['new-screen'] }],
        campaigns: [{ id: 77, network: 1, external_id: 'C-200', name: 'Other' }],
        creatives: [{ external_id: 'CR-9', title: 'nine', campaign: 77 }],
      }),
    );
    expect(await place()).to.deep.equal([22, 'Hall screen', 'Europe/Oslo', false, 77, 'nine']);
  });

  it('uses placement and thresholds of the start of the play, and recomputes the plays of a backdated change', async () => {
    await coffee.projectAfterEach(coffee.spots, coffee.person);
    await coffee.projectAfterEach(() =>
      coffee.system.register({
        locations: [{ id: 34, name: 'Upstairs', site: 2 }],
        devices: [{ id: 4, name: 'Entrance', location: 34, screen_ids: ['screen-1'], effective_from: at(15) }],
        metric_definitions: [{ network: 1, version: 2, effective_from: at(25), thresholds: { impression_ms: 1_500 } }],
      }),
    );
    expect(
      (await coffee.rows()).map((row) => [row['EVENT_ID'], row['LOCATION_NAME'], row['IS_IMPRESSION']]),
    ).to.deep.equal([
      ['A', 'Ground floor', 1],
      ['B', 'Ground floor', 1],
      ['C', 'Upstairs', 1],
      ['D', 'Upstairs', 0],
    ]);
  });

  it('recomputes the plays of a backdated change in units with at most the maximum number of pairs', async () => {
    const people = [1, 2, 3, 4].map((id) => () => coffee.person({ detectionId: `person-${id}`, watcherId: id }));
    await coffee.projectAfterEach(coffee.spots, ...people);
    await coffee.system.register({
      locations: [{ id: 34, name: 'Upstairs', site: 2 }],
      devices: [{ ...smallRegistry.devices[0], location: 34, effective_from: at(-60) }],
    });
    const limits = { ...liveBatchLimits, unitPairs: 5, batchPairs: 8 };
    const { writer } = coffee.system.parts;
    let units = 0;
    const counted: typeof writer = {
      ...writer,
      run: (query, options) => {
        if (query.includes('INSERT INTO coffee_pending_g1') && query.includes('1 AS is_deleted')) units += 1;
        return writer.run(query, options);
      },
    };
    await coffee.system.projectOne('registry');
    await coffee.system.projectOne('coffee', { limits, writer: counted });
    expect(units).to.be.at.least(4);
    const rows = await coffee.rows();
    expect(rows).to.have.length(16);
    expect(new Set(rows.map((row) => row['LOCATION_NAME']))).to.deep.equal(new Set(['Upstairs']));
  });

  it('shows an announced name when it takes effect, and not before', async () => {
    await coffee.projectAfterEach(coffee.spots);
    const hourMs = 3_600_000;
    const soon = Date.now() + hourMs;
    await coffee.projectAfterEach(() =>
      coffee.system.register({
        devices: [{ ...smallRegistry.devices[0], name: 'Later', effective_from: new Date(soon).toISOString() }],
      }),
    );
    const name = async () => (await coffee.rows())[0]!['DEVICE_NAME'];
    expect(await name()).to.equal('Entrance');
    // The projection takes the time from the events. In this run each of them is recorded two hours later.
    const { store } = coffee.system;
    const later: typeof store = {
      ...store,
      async *subscribe(options) {
        for await (const item of store.subscribe(options))
          if (item.kind === 'event')
            yield { ...item, event: { ...item.event, recordedAtMs: item.event.recordedAtMs + 2 * hourMs } };
          else yield item;
      },
    };
    await coffee.system.projectOne('registry', { store: later });
    expect(await name(), 'by the next probe').to.equal('Later');
  });

  it('shows current names without a recomputation', async () => {
    await coffee.projectAfterEach(coffee.spots);
    await coffee.projectAfterEach(() =>
      coffee.system.register({
        sites: [{ ...smallRegistry.sites[0], name: 'Quayside Centre' }],
        campaigns: [{ ...smallRegistry.campaigns[0], name: 'Winter coats' }],
      }),
    );
    const [row] = await coffee.rows();
    expect([row!['SITE_NAME'], row!['CAMPAIGN_NAME']]).to.deep.equal(['Quayside Centre', 'Winter coats']);
  });

  it('distinguishes the two equal hours at the end of daylight saving time', async () => {
    await coffee.system.play({ eventId: 'first', playedAt: '2026-10-25T00:30:00.000Z' });
    await coffee.system.play({ eventId: 'second', playedAt: '2026-10-25T01:30:00.000Z' });
    await coffee.system.project();
    expect((await coffee.rows()).map((row) => [row['DT_START_SITE_TZ'], row['HOUR_SITE_TZ']])).to.deep.equal([
      ['2026-10-25T01:30:00.000+01:00', '01'],
      ['2026-10-25T01:30:00.000+00:00', '01'],
    ]);
  });
});
