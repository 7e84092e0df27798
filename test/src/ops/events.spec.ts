import { expect } from 'chai';
import { playOf } from '../query-api/feedback.fixture.ts';
import {
  type Balance,
  type Conflicts,
  type Quarantine,
  sentEvents,
  type SentEvents,
  type Shown,
  type Told,
} from './events.fixture.ts';

describe('events, as operators see them', function () {
  this.timeout(60_000);
  let sent: SentEvents;
  before(async () => {
    sent = await sentEvents();
  });
  after(() => sent.system.close());

  const show = async (id: string, more = '') =>
    (await sent.get(`/events?id=${encodeURIComponent(id)}${more}`)) as Shown;
  const conflictsOf = async (query = '') => (await sent.get(`/conflicts${query}`)) as Conflicts;
  const quarantineOf = async (query = '') => (await sent.get(`/quarantine${query}`)) as Quarantine;
  const balanceOf = async (query = '') => (await sent.get(`/balance${query}`)) as Balance;

  it('show every receipt with its content as the log holds it, for each vendor that sent one of the id', async () => {
    const { event_id, found } = await show('told-twice');
    expect(event_id).to.equal('told-twice');
    expect(found.map(({ network_id, vendor }) => [network_id, vendor])).to.deep.equal([
      [1, 'acme'],
      [2, 'gamma'],
    ]);
    const [theirs] = found;
    expect(theirs).to.deep.include({
      status: 'projected',
      received: 3,
      stored: 1,
      duplicate: 1,
      conflict: 1,
      quarantined: 0,
      coffee_rows: 1,
      pop_types: ['UNMEASURED'],
    });
    expect(theirs?.receipts.map(({ outcome }) => outcome)).to.deep.equal(['stored', 'conflict', 'duplicate']);
    const [stored, conflict] = theirs!.receipts.map(({ raw }) => raw as Told);
    expect(stored?.['data']).to.deep.equal(sent.play);
    expect(conflict?.['data']).to.deep.equal({ ...sent.play, durationMs: 11_000, context: { slot: 3 } });
    expect(conflict).to.include({ type: 'PopRecorded', revision: '1' });
    expect(conflict?.['stream']).to.match(/^pop-1\.acme\.\d{8}$/);
    expect(conflict?.['metadata']).to.include({ network: 1, vendor: 'acme' });
    expect((await show('told-twice', '&network=2')).found).to.deep.equal(found.slice(1));
    expect((await show('told-twice', '&vendor=acme')).found).to.deep.equal(found.slice(0, 1));
  });

  it('show the balance of the hours an event came in', async () => {
    const { found } = await show('kept');
    const { hours } = await balanceOf('?vendor=acme');
    expect(found[0]?.balance.at(-1)).to.deep.equal(hours.at(-1));
    expect(found[0]).to.deep.include({ received: 3, stored: 1, conflict: 1, quarantined: 1, status: 'projected' });
    expect(found[0]?.receipts.map(({ outcome }) => outcome)).to.deep.equal(['stored', 'quarantined', 'conflict']);
    expect(found[0]?.receipts[1]).to.include({ code: 'unparsable', schema_version: 'own-1' });
    expect((found[0]?.receipts[1]?.['raw'] as Told)['data']).to.deep.include({
      event: { ...sent.kept, start: 'noon' },
    });
  });

  it('whose id came again with other content are listed, what differs side by side', async () => {
    const { conflicts, next_before: next } = await conflictsOf();
    expect(conflicts.map(({ event_id, differs }) => [event_id, differs])).to.deep.equal([
      ['kept', ['(another schema)']],
      ['mine', ['screenId']],
      ['told-twice', ['durationMs', 'context']],
    ]);
    expect(next).to.equal(null);
    const { first, later } = conflicts[2]!;
    expect([first['content'], later['content']]).to.deep.equal([
      sent.play,
      { ...sent.play, durationMs: 11_000, context: { slot: 3 } },
    ]);
    const page = await conflictsOf('?limit=1');
    const rest = await conflictsOf(`?before=${page.next_before}`);
    expect([...page.conflicts, ...rest.conflicts]).to.deep.equal(conflicts);
    expect((await conflictsOf('?network=2')).conflicts).to.deep.equal([conflicts[1]]);
    expect((await conflictsOf('?since=2999-01-01T00:00:00Z')).conflicts).to.deep.equal([]);
  });

  it('that wait are counted by reason, and the newest shown', async () => {
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
    const rest = await quarantineOf(`?limit=1&before=${first.next_before}`);
    expect([...first.events, ...rest.events]).to.deep.equal(events);
  });

  it('are balanced by hour and together', async () => {
    const { sum, hours } = await balanceOf();
    expect(sum).to.deep.equal({
      received: 11,
      stored: 5,
      duplicate: 1,
      conflict: 3,
      quarantined: 2,
      late: 1,
      clock_ahead: 0,
      hours: hours.length,
    });
    expect((await balanceOf('?network=2')).sum).to.include({ received: 3, stored: 2, conflict: 1 });
    const none = await balanceOf('?until=2026-01-01T00:00:00Z');
    expect([none.sum['received'], none.hours]).to.deep.equal([0, []]);
    const cut = await balanceOf('?limit=1');
    expect([cut.hours.length, cut.sum]).to.deep.equal([1, sum]);
  });

  it('of vendors and networks that nobody registered are refused, and not told as none', async () => {
    const asked = [
      ['network=77', 'network'],
      ['vendor=nobody', 'vendor'],
      ['network=1&vendor=nobody', 'vendor'],
    ];
    for (const list of ['conflicts', 'quarantine', 'balance', 'jobs'])
      for (const [query, path] of asked) {
        const { status, error } = (await sent.told(`/${list}?${query}`)) as {
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

  it('of any id are found', async () => {
    const ids = ['a/b', '..', '-x', '%2F', "' OR 1=1 --", '🙂 \\N', 'conflicts'];
    await sent.acme('/pop/events', { events: ids.map((id) => playOf(id)) });
    await sent.system.project();
    for (const id of ids) expect((await show(id)).event_id).to.equal(id);
  });

  it('that nobody knows are refused, and so is what cannot be asked', async () => {
    for (const path of ['/events?id=nobody', '/events?id=mine&vendor=acme'])
      expect((await sent.ask(path)).status, path).to.equal(404);
    for (const path of ['/events', '/events?id=', '/events?id=a&id=b', '/balance?since=now', '/conflicts?page=2'])
      expect((await sent.ask(path)).status, path).to.equal(400);
    for (const path of ['/events?id=a', '/conflicts', '/quarantine', '/balance'])
      expect((await sent.ask(path, 'nonsense')).status, path).to.equal(401);
  });
});
