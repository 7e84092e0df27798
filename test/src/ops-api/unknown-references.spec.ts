import { liveViewName, sql } from '@popsvc/platform/clickhouse';
import { readUnknownReferences } from '@popsvc/read-models/queries';
import { coffee, plays, screenPlaces } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { createPush, playOf, registerMapping } from '../query-api/event-status.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { type DiagnosedSystem, startDiagnosedSystem } from './diagnostics.fixture.ts';

interface References {
  readonly from: string;
  readonly to: string | null;
  readonly references: readonly {
    readonly network_id: number;
    readonly vendor: string;
    readonly field: string;
    readonly value: string;
    readonly count: number;
    readonly last_received_at: string;
  }[];
  readonly is_truncated: boolean;
}

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

describe('unknown references of /ops/v1', function () {
  let system: TestServices;
  let acme: ReturnType<typeof createPush>;
  let beta: ReturnType<typeof createPush>;
  const request = async (query: string) => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const response = await fetch(`${system.opsUrl}/ops/v1/unknown-references${query}`, { headers });
    return { status: response.status, body: (await response.json()) as References };
  };
  const list = async (query = '') => {
    const { status, body } = await request(query);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const short = ({ references }: References) =>
    references.map(({ network_id, vendor, field, value, count }) => [network_id, vendor, field, value, count]);

  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    await system.register({
      networks: [{ id: 2, name: 'Inland Media', timezone: 'UTC' }],
      vendors: [{ code: 'beta', name: 'Beta player', network: 2 }],
    });
    await registerMapping(system, { version: 1 });
    acme = createPush(system, await system.apiKey());
    beta = createPush(system, await system.apiKey(2, 'beta'));
  });
  after(() => system.close());

  it('are empty while all ids are registered', async () => {
    await acme('/pop/events', { events: [playOf('known'), playOf('empty', { campaignId: '', creativeId: '' })] });
    await system.project();
    const { from, ...rest } = await list();
    expect(rest).to.deep.equal({ to: null, references: [], is_truncated: false });
    expect(Date.parse(ago(7)) - Date.parse(from)).to.be.within(0, 60_000);
  });

  it('count plays by network, vendor, field and value, the most frequent first', async () => {
    const before = Date.now();
    const play = playOf('lift-1', { screenId: 'lift', campaignId: 'C-900' });
    await acme('/pop/events', {
      events: [play, play, { ...play, creativeId: 'CR-9' }, playOf('lift-2', { screenId: 'lift' })],
    });
    await acme('/pop/dynamic', {
      schemaVersion: 'own-1',
      events: [{ ref: 'own', screen: 'lift', io: 'C-100', asset: 'CR-7', start: ago(0.1), seconds: 10 }],
    });
    await beta('/pop/events', { events: [playOf('other')] });
    await system.project();
    const listed = await list();
    expect(short(listed)).to.deep.equal([
      [1, 'acme', 'screenId', 'lift', 3],
      [1, 'acme', 'campaignId', 'C-900', 1],
      [1, 'acme', 'creativeId', 'CR-7', 1],
      [2, 'beta', 'campaignId', 'C-100', 1],
      [2, 'beta', 'creativeId', 'CR-1', 1],
      [2, 'beta', 'screenId', 'screen-1', 1],
    ]);
    for (const { last_received_at } of listed.references)
      expect(Date.parse(last_received_at)).to.be.within(before, Date.now());
  });

  it('have the receipt of the newest play, also if a detection was received later', async () => {
    const playedAt = ago(1);
    const received = (text: string) => ({ receivedAt: text });
    const [first, second] = [ago(0.9), ago(0.5)];
    const append = (eventId: string, at: string) =>
      system.append(
        'pop-1.acme.20260101',
        'PlaysRecorded',
        { plays: [playOf(eventId, { playedAt, campaignId: 'C-LATE' })] },
        received(at),
      );
    await append('late-1', first);
    await append('late-2', second);
    await system.detection({
      watcherId: 1,
      startedAt: playedAt,
      endedAt: new Date(Date.parse(playedAt) + 5_000).toISOString(),
    });
    await system.project();
    const found = (await list('?network=1')).references.find(({ value }) => value === 'C-LATE');
    expect(found).to.deep.include({ count: 2, last_received_at: second });
  });

  it('are limited to a network, a vendor and a window of play starts', async () => {
    await acme('/pop/events', { events: [playOf('old', { screenId: 'old', playedAt: ago(20) })] });
    await system.project();
    expect(short(await list('?vendor=beta')).map(([, , field]) => field)).to.deep.equal([
      'campaignId',
      'creativeId',
      'screenId',
    ]);
    expect(short(await list('?network=2'))).to.deep.equal(short(await list('?network=2&vendor=beta')));
    expect(short(await list(`?from=${ago(21)}&to=${ago(19)}`))).to.deep.equal([[1, 'acme', 'screenId', 'old', 1]]);
    const first = await list('?limit=1');
    expect(short(first)).to.deep.equal([[1, 'acme', 'screenId', 'lift', 3]]);
    expect(first.is_truncated).to.equal(true);
  });

  it('refuse windows that are empty or longer than 31 days, and unknown filters', async () => {
    const refused: readonly (readonly [query: string, path: string])[] = [
      [`?from=${ago(32)}`, 'from'],
      [`?from=${ago(1)}&to=${ago(2)}`, 'from'],
      [`?from=yesterday`, 'from'],
      ['?vendor=gamma', 'vendor'],
      ['?field=screenId', 'field'],
    ];
    for (const [query, path] of refused) {
      const { status, body } = await request(query);
      const { error } = body as unknown as { error: { code: string; details: readonly { path: string }[] } };
      expect([status, error.code, error.details[0]?.path], query).to.deep.equal([400, 'INVALID_PARAM', path]);
    }
  });

  it('disappear when the registry contains the ids', async () => {
    await system.register({
      devices: [{ id: 9, name: 'Lift', location: 3, screen_ids: ['lift'] }],
      campaigns: [{ id: 9, network: 1, external_id: 'C-900', name: 'Hats', strategies: [], retired: true }],
    });
    await system.project();
    expect(short(await list('?network=1')).map(([, , , value]) => value)).to.deep.equal(['C-LATE', 'CR-7']);
  });

  it('can be read for one vendor from the tables of a network', async () => {
    const ofBeta = sql`network_id = 2 AND vendor = 'beta'`;
    const { references, total } = await readUnknownReferences(
      system.reader,
      {
        coffee: sql`${liveViewName(coffee)} WHERE ${ofBeta}`,
        screenPlaces: sql`${liveViewName(screenPlaces)} WHERE network_id = 2`,
        playsWhere: (isNewest) => sql`${liveViewName(plays)} WHERE ${ofBeta} AND ${isNewest}`,
      },
      { limit: 1 },
    );
    const short = references.map(({ field, value, count }) => [field, value, count]);
    expect(short).to.deep.equal([['campaignId', 'C-100', 1]]);
    expect(total).to.be.greaterThan(1);
  });
});

describe('the check of unknown references', function () {
  let system: DiagnosedSystem;
  before(async () => {
    system = await startDiagnosedSystem();
  });
  after(() => system.close());

  /** The event ids are so long that those of a thousand plays do not fit into a parameter of a query. */
  const insertPlays = (vendor: string, screen: string, campaign: string, hours: number) =>
    system.writer
      .run(`INSERT INTO coffee_g1 (network_id, ts, number, vendor, event_id, screen_id, campaign_ref, play_pos, version)
      SELECT 1, now64(3) - INTERVAL ${hours} HOUR, cityHash64('${vendor}', ${screen}, number), '${vendor}', leftPadUTF8(toString(number), 300, 'é'), ${screen}, '${campaign}', number + 1, 3
      FROM numbers(1100)`);

  it('passes without plays, and ignores plays of earlier days', async () => {
    await insertPlays('acme', `'screen'`, '', 25);
    expect((await system.diagnose())['unknown-references']).to.include({
      outcome: 'ok',
      found: 'none in plays of the last 24 h',
    });
  });

  it('warns with the number of ids by vendor', async () => {
    await insertPlays('acme', `concat('screen-', toString(number % 2))`, 'C-1', 1);
    await insertPlays('beta', `'screen'`, '', 1);
    const { outcome, found, advice } = (await system.diagnose())['unknown-references']!;
    expect({ outcome, found }).to.deep.equal({
      outcome: 'warning',
      found: '4 unknown ids in plays of the last 24 h; acme: 2 screens, 1 campaign; beta: 1 screen',
    });
    expect(advice).to.include('popsvc events unknown-references');
  });

  it('counts at most a thousand ids', async () => {
    await insertPlays('acme', `concat('other-', toString(number))`, 'C-1', 2);
    expect((await system.diagnose())['unknown-references']?.found).to.match(
      /^at least 1000 unknown ids in plays of the last 24 h; acme: 998 screens, 1 campaign; beta: 1 screen$/,
    );
  });
});
