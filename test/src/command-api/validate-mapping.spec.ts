import { randomUUID } from 'node:crypto';
import { MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerAdvertised } from './registry.fixture.ts';
import { dynamicPath, expectApiError, type ReplyBody, type Sender } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');

interface Trial extends ReplyBody {
  readonly mappingVersion: number | null;
  readonly quarantinedCount: number;
  readonly quarantined: readonly { readonly path: string; readonly code: string; readonly reason: string }[];
  readonly plays: readonly { readonly path: string; readonly play: object; readonly unresolved: readonly string[] }[];
}

const event = (overrides: object = {}) => ({
  ...{ screen: 'screen-1', io: 'C-100', asset: 'CR-1', start: '2026-09-14T10:00:00Z', seconds: 10 },
  ...overrides,
});

describe('command-api: validate_only of events in a vendor’s own schema', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 30 });
    await api.untilReady();
  });
  after(() => api.close());

  const register = async (version: number, fields: object = {}, vendor = 'acme', network = 1) => {
    const mapping = {
      vendor,
      schema_version: 'own-1',
      fields: {
        screenId: { path: 'screen' },
        campaignId: { path: 'io' },
        creativeId: { path: 'asset' },
        playedAt: { path: 'start', time: 'iso' },
        duration: { path: 'seconds', unit: 's' },
        ...fields,
      },
    };
    const { type, version: schemaVersion } = MappingRegistered;
    const metadata = { schemaVersion, receivedAt: new Date(now).toISOString(), network, vendor };
    await api.store.append(mappingStream(vendor), [
      { id: randomUUID(), type, data: { network, version, mapping }, metadata },
    ]);
  };
  const validate = async (events: readonly object[], send: Sender = api.send): Promise<Trial> => {
    const { status, body } = await send(`${dynamicPath}?validate_only=true`, { schemaVersion: 'own-1', events });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Trial;
  };
  const untilVersion = (version: number) =>
    waitUntil(
      () => validate([event()]),
      ({ mappingVersion }) => mappingVersion === version,
    );

  it('says that no mapping is registered', async () => {
    expect(await validate([event()])).to.deep.equal({
      message:
        'Valid; nothing was stored. 1 of 1 events would wait in quarantine, because no mapping can convert them to plays.',
      eventCount: 1,
      schemaVersion: 'own-1',
      mappingVersion: null,
      quarantinedCount: 1,
      quarantined: [
        { path: 'events[0]', code: 'no_mapping', reason: 'no mapping is registered for this schema version' },
      ],
      plays: [],
    });
  });

  it('names each event that the mapping cannot convert, and why', async () => {
    await register(1);
    await untilVersion(1);
    const events = [
      event(),
      event({ seconds: 0 }),
      event({ start: 'noon' }),
      event({ io: undefined }),
      event({ start: '2026-08-01T00:00:00Z' }),
      event({ start: '2026-09-14T10:00:00' }),
    ];
    const trial = await validate(events);
    expect(trial).to.include({ mappingVersion: 1, quarantinedCount: 5, eventCount: 6 });
    expect(trial.quarantined.map(({ path, code }) => [path, code])).to.deep.equal([
      ['events[1]', 'invalid'],
      ['events[2]', 'unparsable'],
      ['events[3]', 'missing'],
      ['events[4]', 'too_old'],
      ['events[5]', 'no_zone'],
    ]);
    expect(trial.quarantined[1]?.reason).to.include('start').and.include('"noon"');
  });

  it('shows the plays that the mapping makes, and their ids that are not registered', async () => {
    await registerAdvertised(api.store);
    const sent = [event({ start: 'noon' }), event({ start: '2026-09-14T12:00:00.250+02:00', io: 'C-999' })];
    const { plays } = await waitUntil(
      () => validate(sent),
      (trial) => trial.plays[0]?.unresolved.length === 1,
    );
    expect(plays).to.have.length(1);
    const { path, play, unresolved } = plays[0]!;
    expect(path).to.equal('events[1]');
    expect(play).to.deep.include({
      ...{ screenId: 'screen-1', campaignId: 'C-999', creativeId: 'CR-1' },
      ...{ playedAt: '2026-09-14T10:00:00.250Z', durationMs: 10_000 },
    });
    expect(unresolved).to.deep.equal(['campaignId']);
  });

  it('applies the newest mapping', async () => {
    await register(2, { playedAt: { path: 'begun', time: 'iso' } });
    const trial = await untilVersion(2);
    expect(trial.quarantined.map(({ code }) => code)).to.deep.equal(['missing']);
    const valid = await validate([event({ begun: '2026-09-14T10:00:00Z' })]);
    expect(valid).to.deep.include({ quarantinedCount: 0, quarantined: [], message: 'Valid; nothing was stored.' });
  });

  it('lists the first hundred events, and counts all', async () => {
    const trial = await validate(Array.from({ length: 150 }, () => event()));
    expect(trial.quarantinedCount).to.equal(150);
    expect(trial.quarantined).to.have.length(100);
  });

  it('does not apply mappings of other vendors', async () => {
    const { send } = await api.newKey(1, 'beta');
    expect(await validate([event()], send)).to.include({ mappingVersion: null });
  });

  it('continues after a mapping that cannot be read', async () => {
    const metadata = { schemaVersion: 1, receivedAt: new Date(now).toISOString(), network: 1, vendor: 'acme' };
    const unreadable = { id: randomUUID(), type: MappingRegistered.type, data: { version: 3 }, metadata };
    await api.store.append(mappingStream('acme'), [unreadable]);
    await register(4);
    expect(await untilVersion(4)).to.include({ quarantinedCount: 0 });
  });

  it('refuses requests that are refused without validate_only', async () => {
    const body = { schemaVersion: 'own-1', events: [1] };
    expectApiError(await api.send(`${dynamicPath}?validate_only=true`, body), 400, 'INVALID_EVENT', ['events[0]']);
  });
});
