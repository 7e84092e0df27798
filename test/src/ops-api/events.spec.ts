import { expect } from 'chai';
import { playOf } from '../query-api/event-status.fixture.ts';
import {
  type Balance,
  type Conflicts,
  type Quarantine,
  sendEvents,
  type SentEvents,
  type ShownEvent,
  type JsonObject,
} from './events.fixture.ts';

describe('the event look-up, conflicts, quarantine and balance of /ops/v1', function () {
  let sent: SentEvents;
  before(async () => {
    sent = await sendEvents();
  });
  after(() => sent.system.close());

  const show = async (id: string, more = '') =>
    (await sent.get(`/events?id=${encodeURIComponent(id)}${more}`)) as ShownEvent;
  const conflictsOf = async (query = '') => (await sent.get(`/conflicts${query}`)) as Conflicts;
  const quarantineOf = async (query = '') => (await sent.get(`/quarantine${query}`)) as Quarantine;
  const balanceOf = async (query = '') => (await sent.get(`/balance${query}`)) as Balance;

  it('shows every receipt of an id with its content in the log, for each vendor', async () => {
    const { event_id, found } = await show('sent-twice');
    expect(event_id).to.equal('sent-twice');
    expect(found.map(({ network_id, vendor }) => [network_id, vendor])).to.deep.equal([
      [1, 'acme'],
      [2, 'gamma'],
    ]);
    const [ofAcme] = found;
    expect(ofAcme).to.deep.include({
      status: 'projected',
      received: 3,
      stored: 1,
      duplicate: 1,
      conflict: 1,
      quarantined: 0,
      coffee_rows: 1,
      pop_types: ['UNMEASURED'],
    });
    expect(ofAcme?.receipts.map(({ outcome }) => outcome)).to.deep.equal(['stored', 'conflict', 'duplicate']);
    const [stored, conflict] = ofAcme!.receipts.map(({ raw }) => raw as JsonObject);
    expect(stored?.['data']).to.deep.equal(sent.play);
    expect(conflict?.['data']).to.deep.equal({ ...sent.play, durationMs: 11_000, context: { slot: 3 } });
    expect(conflict).to.include({ type: 'PlaysRecorded', revision: '0' });
    expect(conflict?.['stream']).to.match(/^pop-1\.acme\.\d{8}$/);
    expect(conflict?.['metadata']).to.include({ network: 1, vendor: 'acme' });
    expect((await show('sent-twice', '&network=2')).found).to.deep.equal(found.slice(1));
    expect((await show('sent-twice', '&vendor=acme')).found).to.deep.equal(found.slice(0, 1));
  });

  it('counts a body that is sent again without an Idempotency-Key as received and duplicate', async () => {
    const { found } = await show('sent-twice', '&network=2');
    expect(found[0]).to.deep.include({ received: 2, stored: 1, duplicate: 1, conflict: 0, coffee_rows: 1 });
  });

  it('shows the balance of the hours in which an event was received', async () => {
    const { found } = await show('kept');
    const { hours } = await balanceOf('?vendor=acme');
    expect(found[0]?.balance.at(-1)).to.deep.equal(hours.at(-1));
    expect(found[0]).to.deep.include({ received: 3, stored: 1, conflict: 1, quarantined: 1, status: 'projected' });
    expect(found[0]?.receipts.map(({ outcome }) => outcome)).to.deep.equal(['stored', 'quarantined', 'conflict']);
    expect(found[0]?.receipts[1]).to.include({ code: 'unparsable', schema_version: 'own-1' });
    expect((found[0]?.receipts[1]?.['raw'] as JsonObject)['data']).to.deep.include({
      event: { ...sent.kept, start: 'noon' },
    });
  });

  it('lists events whose id was sent again with different content, with the fields that differ', async () => {
    const { conflicts, next_after: next } = await conflictsOf();
    expect(conflicts.map(({ event_id, differs }) => [event_id, differs])).to.deep.equal([
      ['kept', ['(another schema)']],
      ['mine', ['screenId']],
      ['sent-twice', ['durationMs', 'context']],
    ]);
    expect(next).to.equal(null);
    const { first, later } = conflicts[2]!;
    expect([first['content'], later['content']]).to.deep.equal([
      sent.play,
      { ...sent.play, durationMs: 11_000, context: { slot: 3 } },
    ]);
    const page = await conflictsOf('?limit=1');
    const rest = await conflictsOf(`?after=${page.next_after}`);
    expect([...page.conflicts, ...rest.conflicts]).to.deep.equal(conflicts);
    expect((await conflictsOf('?limit=3')).next_after, 'the last page is full').to.equal(null);
    expect((await conflictsOf('?network=2')).conflicts).to.deep.equal([conflicts[1]]);
    expect((await conflictsOf('?since=2999-01-01T00:00:00Z')).conflicts).to.deep.equal([]);
  });

  it('counts quarantined events by reason and lists the newest', async () => {
    const { reasons, events } = await quarantineOf();
    expect(
      reasons.map(({ code, schema_version, events: count }) => [code, schema_version, count]),
    ).to.have.deep.members([
      ['unparsable', 'own-1', 1],
      ['no_mapping', 'own-2', 1],
    ]);
    expect(events.map(({ event_id, code }) => [event_id, code])).to.deep.equal([
      [null, 'no_mapping'],
      ['kept', 'unparsable'],
    ]);
    expect(events[0]?.['raw']).to.have.length(10_000);
    expect(events[0]?.['raw_bytes']).to.equal(JSON.stringify({ anything: 'x'.repeat(20_000) }).length);
    expect(JSON.parse(String(events[1]?.['raw']))).to.deep.equal({ ...sent.kept, start: 'noon' });
    const one = await quarantineOf('?schema_version=own-1&vendor=acme&network=1');
    expect([one.reasons.length, one.events.length]).to.deep.equal([1, 1]);
    const first = await quarantineOf('?limit=1');
    const rest = await quarantineOf(`?limit=1&after=${first.next_after}`);
    expect([...first.events, ...rest.events]).to.deep.equal(events);
    expect([rest.events.length, rest.next_after], 'the last page is full').to.deep.equal([1, null]);
  });

  it('returns the balance by hour and in total', async () => {
    const { sum, hours } = await balanceOf();
    expect(sum).to.deep.equal({
      received: 12,
      stored: 5,
      duplicate: 2,
      conflict: 3,
      quarantined: 2,
      late: 1,
      clock_ahead: 0,
      hours: hours.length,
    });
    expect((await balanceOf('?network=2')).sum).to.include({ received: 4, stored: 2, duplicate: 1, conflict: 1 });
    const none = await balanceOf('?until=2026-01-01T00:00:00Z');
    expect([none.sum['received'], none.hours]).to.deep.equal([0, []]);
    const cut = await balanceOf('?limit=1');
    expect([cut.hours.length, cut.sum]).to.deep.equal([1, sum]);
  });

  it('rejects unknown vendors and networks instead of returning empty lists', async () => {
    const queries = [
      ['network=77', 'network'],
      ['vendor=unknown', 'vendor'],
      ['network=1&vendor=unknown', 'vendor'],
    ];
    for (const list of ['conflicts', 'quarantine', 'balance', 'unknown-references', 'jobs'])
      for (const [query, path] of queries) {
        const { status, error } = (await sent.getBody(`/${list}?${query}`)) as {
          status: boolean;
          error: { code: string; details: readonly { path: string }[] };
        };
        expect([status, error.code, error.details[0]?.path], `${list} ${query}`).to.deep.equal([
          false,
          'INVALID_PARAM',
          path,
        ]);
      }
    expect((await conflictsOf('?vendor=acme&since=2999-01-01T00:00:00Z')).conflicts).to.deep.equal([]);
  });

  it('finds events of any id', async () => {
    const ids = ['a/b', '..', '-x', '%2F', "' OR 1=1 --", '🙂 \\N', 'conflicts'];
    await sent.acme('/pop/events', { events: ids.map((id) => playOf(id)) });
    await sent.system.project();
    for (const id of ids) expect((await show(id)).event_id).to.equal(id);
  });

  it('rejects unknown events and invalid parameters', async () => {
    for (const path of ['/events?id=unknown', '/events?id=mine&vendor=acme'])
      expect((await sent.request(path)).status, path).to.equal(404);
    for (const path of ['/events', '/events?id=', '/events?id=a&id=b', '/balance?since=now', '/conflicts?page=2'])
      expect((await sent.request(path)).status, path).to.equal(400);
    for (const path of ['/events?id=a', '/conflicts', '/quarantine', '/balance'])
      expect((await sent.request(path, 'nonsense')).status, path).to.equal(401);
  });
});
