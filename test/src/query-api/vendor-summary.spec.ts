import { VendorSummary } from '@popsvc/contracts/responses';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { createPush, playOf } from './event-status.fixture.ts';
import { createVendorReader, expectInvalid, type VendorReply } from './vendor-reads.fixture.ts';

const hourMs = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

describe('the summary of a vendor', function () {
  let system: TestServices;
  let acme: string;
  let beta: string;
  let otherNetwork: string;
  const nowMs = Date.now();
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    [acme, beta, otherNetwork] = [
      await system.apiKey(),
      await system.apiKey(1, 'beta'),
      await system.apiKey(2, 'acme'),
    ];
    const push = createPush(system, acme);
    const play = playOf('sent-twice');
    await push('/pop/events', { events: [play, playOf('once')] });
    await push('/pop/events', { events: [play, { ...play, durationMs: 7 }] });
    await push('/pop/dynamic', { schemaVersion: 'own-1', events: [{ any: 1 }] });
    await createPush(system, beta)('/pop/events', { events: [play] });
    await createPush(system, otherNetwork)('/pop/events', { events: [play, playOf('theirs'), playOf('more')] });
    // Received in an earlier hour: 100 hours ago, half past.
    await system.play({ eventId: 'earlier' }, { receivedAt: at(Math.floor(nowMs / hourMs) * hourMs - 99.5 * hourMs) });
    await system.project();
  });
  after(() => system.close());

  const request = (query = '', key: string | undefined = acme, baseUrl = system.ingestUrl) =>
    createVendorReader(baseUrl)<VendorSummary>(`/summary${query}`, key);
  const hoursOf = ({ status, body }: VendorReply<VendorSummary>) => {
    expect(status, JSON.stringify(body)).to.equal(200);
    return VendorSummary.parse(body).data.hours;
  };
  const sum = (hours: VendorSummary['data']['hours']) => {
    const counts = { received: 0, stored: 0, duplicate: 0, conflict: 0, quarantined: 0 };
    for (const hour of hours)
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += hour[name];
    return counts;
  };

  it('counts the events of the last 24 hours by outcome', async () => {
    const reply = await request();
    const hours = hoursOf(reply);
    expect(sum(hours)).to.deep.equal({ received: 5, stored: 2, duplicate: 1, conflict: 1, quarantined: 1 });
    for (const { hour } of hours) {
      expect(Date.parse(hour) % hourMs).to.equal(0);
      expect(Date.parse(hour)).to.be.within(nowMs - hourMs, Date.now());
    }
    expect(Date.parse(reply.headers.get('x-data-as-of') ?? '')).to.be.within(nowMs, Date.now());
  });

  it('contains only the events of the vendor and network of the key', async () => {
    expect(sum(hoursOf(await request('', beta)))).to.include({ received: 1, stored: 1 });
    expect(sum(hoursOf(await request('', otherNetwork)))).to.include({ received: 3, stored: 3 });
    expect(hoursOf(await request('', await system.apiKey(3, 'acme')))).to.deep.equal([]);
  });

  it('contains every hour that overlaps the window, oldest first', async () => {
    const earlierMs = Math.floor(nowMs / hourMs) * hourMs - 100 * hourMs;
    const counts = { received: 1, stored: 1, duplicate: 0, conflict: 0, quarantined: 0 };
    const earlier = { hour: at(earlierMs), ...counts };
    const inHour = `?from=${at(earlierMs + 50 * 60_000)}&to=${at(earlierMs + 51 * 60_000)}`;
    expect(hoursOf(await request(inHour))).to.deep.equal([earlier]);
    expect(hoursOf(await request(`?from=${at(earlierMs - hourMs)}&to=${at(earlierMs)}`))).to.deep.equal([]);
    expect(hoursOf(await request(`?to=${at(earlierMs + 1)}`))).to.deep.equal([earlier]);
    const all = hoursOf(await request(`?from=${at(earlierMs)}`));
    expect(all[0]).to.deep.equal(earlier);
    expect(all.map(({ hour }) => hour)).to.deep.equal(all.map(({ hour }) => hour).toSorted());
    expect(sum(all).received).to.equal(6);
  });

  it('lists the ids in its plays that the registry does not contain, until they are registered', async () => {
    const push = createPush(system, acme);
    const startedAt = at(nowMs - hourMs / 2);
    const unknown = (eventId: string) => playOf(eventId, { playedAt: startedAt, creativeId: 'CR-9' });
    await push('/pop/events', { events: [unknown('u-1'), unknown('u-2')] });
    await createPush(system, beta)('/pop/events', {
      events: [playOf('b', { playedAt: startedAt, creativeId: 'CR-8' })],
    });
    await system.project();
    const read = async () => VendorSummary.parse((await request()).body).data.unresolved;
    const [entry, ...others] = await read();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ field: 'creativeId', value: 'CR-9', count: 2 });
    expect(Date.parse(entry!.last_received_at)).to.be.within(nowMs, Date.now());
    await system.register({ creatives: [{ external_id: 'CR-9', title: 'late', campaign: 7, duration_ms: 10_000 }] });
    await system.project();
    await waitUntil(read, (unresolved) => unresolved.length === 0);
  });

  it('counts all unknown ids of the window, of which it lists the first 100', async () => {
    const key = await system.apiKey(4, 'acme');
    const playedAt = at(nowMs - hourMs / 2);
    const events = Array.from({ length: 102 }, (_, index) =>
      playOf(`many-${index}`, { playedAt, screenId: `unknown-${index}`, campaignId: '', creativeId: '' }),
    );
    await createPush(system, key)('/pop/events', { events });
    await system.project();
    const { unresolved, unresolved_count } = VendorSummary.parse((await request('', key)).body).data;
    expect([unresolved.length, unresolved_count]).to.deep.equal([100, 102]);
  });

  it('is the same at query-api', async () => {
    expect(hoursOf(await request('', acme, system.queryUrl))).to.deep.equal(hoursOf(await request()));
  });

  it('refuses invalid windows, unknown parameters and other credentials', async () => {
    expectInvalid(await request('?from=yesterday'), 'from');
    expectInvalid(await request('?from=2026-08-20T00:00:00'), 'from');
    expectInvalid(await request('?from=2026-08-20T00:00:00Z&to=2026-08-20T00:00:00Z'), 'from');
    expectInvalid(await request('?from=2026-08-01T00:00:00Z&to=2026-09-01T00:00:01Z'), 'to');
    expectInvalid(await request(`?from=${at(nowMs - 32 * 24 * hourMs)}`), 'to');
    expectInvalid(await request(`?from=${at(nowMs + hourMs)}`), 'from');
    expectInvalid(await request('?from=2026-08-20T00:00:00Z&from=2026-08-21T00:00:00Z'), 'from');
    expectInvalid(await request('?vendor=beta&network=2'), 'vendor', 'network');
    expect((await createVendorReader(system.ingestUrl)('/summary', undefined)).status).to.equal(401);
  });

  it('responds 503 while query-api is away', async () => {
    await system.stopReports();
    const { status, body } = await request();
    expect([status, body.error?.code]).to.deep.equal([503, 'UNAVAILABLE']);
  });
});
