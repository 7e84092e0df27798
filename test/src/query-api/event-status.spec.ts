import { createHash } from 'node:crypto';
import { EventStatusReport } from '@popsvc/contracts/responses';
import { canonicalContent } from '@popsvc/domain/intake';
import { openRowBudget } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import {
  requestEventStatus,
  type EventStatusReply,
  playOf,
  createPush,
  registerMapping,
} from './event-status.fixture.ts';

describe('the status of an event', function () {
  let system: TestServices;
  let key: string;
  let push: ReturnType<typeof createPush>;
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    await registerMapping(system, { version: 1, start: 'begun' });
    key = await system.apiKey();
    push = createPush(system, key);
  });
  after(() => system.close());

  /** Vendors send the request to command-api, which forwards it. */
  const request = (eventId: string, apiKey = key): Promise<EventStatusReply> =>
    requestEventStatus(system.ingestUrl, eventId, { 'x-api-key': apiKey });
  const readReport = async (eventId: string): Promise<EventStatusReport> => {
    const { status, body } = await request(eventId);
    expect(status, JSON.stringify(body)).to.equal(200);
    return EventStatusReport.strict().parse(body);
  };
  const outcomes = ({ receipts }: EventStatusReport) => receipts.map(({ outcome }) => outcome);

  it('is projected for a play in the reports', async () => {
    const before = Date.now();
    const play = playOf('plain', { startReason: 'scheduled' });
    await push('/pop/events', { events: [play] });
    await system.project();
    const { headers, body } = await request('plain');
    expect(body).to.deep.include({
      eventId: 'plain',
      status: 'projected',
      counts: { received: 1, stored: 1, duplicate: 0, conflict: 0, quarantined: 0 },
      coffeeRows: 1,
      popTypes: ['UNMEASURED'],
      play: {
        playedAt: play.playedAt,
        durationMs: 10_000,
        screenId: 'screen-1',
        campaignId: 'C-100',
        creativeId: 'CR-1',
        playReason: 'scheduled',
        contentHash: createHash('sha256').update(canonicalContent(play)).digest('hex'),
        deviceId: 4,
        siteId: 2,
      },
    });
    const [receipt] = body.receipts;
    expect(receipt).to.deep.include({ outcome: 'stored', late: false, clockAhead: false });
    for (const at of [receipt!.receivedAt, receipt!.recordedAt, body.projectedAt!, String(headers['x-data-as-of'])])
      expect(Date.parse(at)).to.be.within(before, Date.now());
  });

  it('names the fields whose id is not registered, until the registry contains it', async () => {
    const unknown = { screenId: 'screen-9', campaignId: 'C-900', creativeId: 'CR-9' };
    await push('/pop/events', {
      events: [playOf('unknown', unknown), playOf('empty', { campaignId: '', creativeId: '' })],
    });
    await push('/pop/events', { events: [playOf('partly', { creativeId: 'CR-9' }), playOf('partly', unknown)] });
    await system.project();
    expect((await readReport('unknown')).unresolved).to.deep.equal(['screenId', 'campaignId', 'creativeId']);
    expect((await readReport('partly')).unresolved).to.deep.equal(['creativeId']);
    for (const eventId of ['plain', 'empty']) expect((await readReport(eventId)).unresolved).to.deep.equal([]);
    await system.register({
      campaigns: [{ id: 9, network: 1, external_id: 'C-900', name: 'Hats', strategies: [] }],
      creatives: [{ external_id: 'CR-9', title: 'Hats', campaign: 9 }],
    });
    await system.project();
    expect((await readReport('unknown')).unresolved).to.deep.equal(['screenId']);
    expect((await readReport('partly')).unresolved).to.deep.equal([]);
    const device = { id: 9, name: 'Lift', location: 3, screen_ids: ['screen-9'] };
    await system.register({ devices: [device] });
    await system.register({ devices: [{ ...device, screen_ids: [], retired: true }] });
    await system.project();
    expect((await readReport('unknown')).unresolved).to.deep.equal([]);
  });

  it('counts the rows of coffee for a play', async () => {
    const playedAt = '2026-08-20T15:00:00.000Z';
    await push('/pop/events', { events: [playOf('watched', { playedAt })] });
    for (const watcherId of [1, 2])
      await system.detection({ watcherId, startedAt: playedAt, endedAt: '2026-08-20T15:00:08.000Z' });
    await system.project();
    expect(await readReport('watched')).to.deep.include({ coffeeRows: 2, popTypes: ['VIEWER'] });
  });

  it('lists duplicates and conflicts in the order of the log; the first receipt counts', async () => {
    const play = playOf('again');
    await push('/pop/events', { events: [play, play] });
    await push('/pop/events', { events: [{ ...play, durationMs: 11_000 }] });
    await push('/pop/events', { events: [play, playOf('other')] });
    await system.project();
    const body = await readReport('again');
    expect(outcomes(body)).to.deep.equal(['stored', 'duplicate', 'conflict', 'duplicate']);
    expect(body.counts).to.deep.equal({ received: 4, stored: 1, duplicate: 2, conflict: 1, quarantined: 0 });
    expect(body).to.deep.include({ status: 'projected', coffeeRows: 1 });
    expect(body.play?.durationMs).to.equal(10_000);
  });

  it('marks late receipts and clocks that are ahead', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const days = 86_400_000;
    await push('/pop/events', { events: [playOf('late', { playedAt: at(-15 * days) })] });
    await push('/pop/events', { events: [playOf('ahead', { playedAt: at(120_000) })] });
    await system.project();
    expect((await readReport('late')).receipts[0]).to.include({ late: true, clockAhead: false });
    expect((await readReport('ahead')).receipts[0]).to.include({ late: false, clockAhead: true });
  });

  it('contains the reason of a quarantine and the time of the release', async () => {
    const sent = {
      ref: 'own',
      screen: 'screen-1',
      io: 'C-100',
      asset: 'CR-1',
      start: '2026-08-20T14:00:00Z',
      seconds: 10,
    };
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [sent] });
    await system.project();
    const waiting = await readReport('own');
    expect(waiting).to.deep.include({
      status: 'quarantined',
      counts: { received: 1, stored: 0, duplicate: 0, conflict: 0, quarantined: 1 },
      coffeeRows: 0,
      popTypes: [],
      projectedAt: null,
    });
    expect(waiting).to.not.have.property('play');
    expect(waiting.receipts[0]).to.include({ outcome: 'quarantined', code: 'missing', schemaVersion: 'own-1' });
    expect(waiting.receipts[0]?.reason).to.include('begun');

    await registerMapping(system, { version: 2 });
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [{ ...sent, seconds: 11 }] });
    await system.project();
    const released = await readReport('own');
    expect(outcomes(released)).to.deep.equal(['stored', 'conflict']);
    expect(released).to.include({ status: 'projected', coffeeRows: 1 });
    expect(released.play).to.include({ playedAt: '2026-08-20T14:00:00.000Z', durationMs: 10_000 });
    expect(released.receipts[0]?.releasedAt).to.be.a('string');
    expect(released.receipts[1]).to.not.have.property('releasedAt');
    for (const receipt of released.receipts) expect(receipt).to.include({ schemaVersion: 'own-1' });
  });

  it('contains the schema and the bulk file of each receipt', async () => {
    const play = playOf('filed');
    const { screenId: screen, campaignId: io, creativeId: asset, playedAt: start } = play;
    const event = { ref: 'filed', screen, io, asset, start, seconds: 10 };
    for (const row of [41, 42])
      await system.append('bulk-1.job-1', 'DynamicPlaysRecorded', {
        schemaVersion: 'own-1',
        items: [{ ...event, seconds: row }],
        bulk: { jobId: 'job-1', rows: [row] },
      });
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [event] });
    await push('/pop/events', { events: [play] });
    await system.project();
    const { receipts } = await readReport('filed');
    expect(
      receipts.map(({ outcome, schemaVersion, jobId, row }) => [outcome, schemaVersion, jobId, row]),
    ).to.deep.equal([
      ['stored', 'own-1', 'job-1', 41],
      ['conflict', 'own-1', 'job-1', 42],
      ['conflict', 'own-1', undefined, undefined],
      ['conflict', undefined, undefined, undefined],
    ]);
  });

  it('agrees with the balance of the vendor', async () => {
    const [sum] = await system.writer.rows<EventStatusReport['counts']>(
      `SELECT sum(b.received) AS received, sum(b.stored) AS stored, sum(b.duplicate) AS duplicate, sum(b.conflict) AS conflict,
         sum(b.quarantined) AS quarantined FROM vendor_balance_live AS b WHERE vendor = 'acme'`,
    );
    const names = ['plain', 'unknown', 'empty', 'partly', 'watched', 'again', 'other', 'late', 'ahead', 'own', 'filed'];
    const counts = (await Promise.all(names.map(readReport))).map((body) => body.counts);
    for (const [count, value] of Object.entries(sum ?? {}))
      expect(
        counts.reduce((total, one) => total + one[count as keyof typeof one], 0),
        count,
      ).to.equal(value);
  });

  it('lists the first hundred receipts and counts all of them', async () => {
    const play = playOf('often');
    await push('/pop/events', { events: Array.from({ length: 150 }, () => play) });
    await push('/pop/events', { events: [{ ...play, durationMs: 1 }] });
    await system.project();
    const { receipts, counts } = await readReport('often');
    expect(receipts).to.have.length(100);
    expect(counts).to.include({ received: 151, stored: 1, duplicate: 149, conflict: 1 });
  });

  it('names the daily budget for which the event waits', async () => {
    const readBalance = async () => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      const response = await fetch(`${system.opsUrl}/ops/v1/balance?vendor=acme`, { headers });
      return ((await response.json()) as { hours: readonly { waiting?: string }[] }).hours.map(
        ({ waiting }) => waiting,
      );
    };
    const budget = await openRowBudget(system.postgres, 1);
    budget.add(new Map([[1, 1]]));
    await budget.store();
    await push('/pop/events', { events: [playOf('waiting')] });
    await system.projectOne('coffee', { rowBudget: () => budget });
    expect(await readReport('waiting')).to.include({ status: 'accepted', waiting: 'derived_row_budget' });
    expect(await readBalance()).to.include('derived_row_budget');
    await system.postgres.query('DELETE FROM derived_rows');
    await system.projectOne('coffee');
    expect(await readReport('waiting'))
      .to.include({ status: 'projected' })
      .and.not.have.property('waiting');
    expect(await readBalance()).to.not.include('derived_row_budget');
  });
});
