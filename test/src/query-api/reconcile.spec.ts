import { createHash } from 'node:crypto';
import { CountReconciliation, EventReconciliation, Reconciliation } from '@popsvc/contracts/responses';
import { canonicalContent } from '@popsvc/domain/intake';
import type { PopEvent } from '@popsvc/contracts/commands';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { createPush, playOf, registerMapping } from './event-status.fixture.ts';

const at = (time: string) => `2026-08-20T${time}Z`;
const hashOf = (play: object) =>
  createHash('sha256')
    .update(canonicalContent(play as PopEvent))
    .digest('hex');
const afternoon = { from: at('14:00:00'), to: at('17:00:00') };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly message: string;
    readonly error?: { readonly code: string; readonly details: readonly { path: string; message: string }[] };
  };
}

describe('the comparison of a vendor’s plays with the stored ones', function () {
  let system: TestServices;
  let acme: string;
  const plays = {
    first: playOf('first', { playedAt: at('14:10:00') }),
    second: playOf('second', { playedAt: at('14:59:59.999'), context: { b: 1, a: [true] } }),
    third: playOf('third', { playedAt: at('15:00:00'), screenId: 'screen-2' }),
    /** Outside the window. */
    later: playOf('later', { playedAt: at('17:00:00') }),
  };
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    await registerMapping(system, { version: 1 });
    acme = await system.apiKey();
    const push = createPush(system, acme);
    await push('/pop/events', { events: Object.values(plays) });
    // A duplicate, a conflict in the window, and one whose play is outside the window.
    await push('/pop/events', { events: [plays.first, { ...plays.second, durationMs: 7 }] });
    await push('/pop/events', { events: [{ ...plays.later, playedAt: at('16:00:00') }] });
    const mapped = {
      ref: 'mapped',
      screen: 'screen-1',
      io: 'C-100',
      asset: 'CR-1',
      start: at('14:30:00'),
      seconds: 10,
    };
    await push('/pop/dynamic', {
      schemaVersion: 'own-1',
      events: [mapped, { ...mapped, ref: 'waiting', start: 'noon' }],
    });
    for (const [network, vendor] of [
      [1, 'beta'],
      [2, 'acme'],
    ] as const)
      await createPush(system, await system.apiKey(network, vendor))('/pop/events', {
        events: [plays.first, playOf('foreign', { playedAt: at('14:20:00') })],
      });
    await system.project();
  });
  after(() => system.close());

  const request = async (body: unknown, key: string | null = acme, url = system.ingestUrl): Promise<Answer> => {
    const response = await fetch(`${url}/popsvc/v1/pop/reconcile`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }) },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };
  const read = async (body: object, key = acme) => {
    const answer = await request(body, key);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.headers.get('x-data-as-of')).to.be.a('string');
    return Reconciliation.parse(answer.body).data;
  };
  const compareCounts = async (
    counts: readonly (readonly [string, string, number])[],
    key = acme,
    window = afternoon,
  ) =>
    CountReconciliation.strict().parse(
      await read(
        { ...window, counts: counts.map(([screenId, hour, count]) => ({ screenId, hour: at(hour), count })) },
        key,
      ),
    );
  const compareEvents = async (events: readonly object[], key = acme, window = afternoon) =>
    EventReconciliation.strict().parse(await read({ ...window, events }, key));

  describe('by counts', () => {
    it('finds no differences if all counts are equal', async () => {
      const counts = [
        ['screen-1', '14:00:00', 3],
        ['screen-2', '15:00:00', 1],
        ['screen-3', '15:00:00', 0],
      ] as const;
      expect(await compareCounts(counts)).to.deep.equal({ equal: 2, differences: [], differenceCount: 0 });
    });

    it('lists screens and hours that differ, and those that only one side has', async () => {
      const counts = [
        ['screen-1', '14:00:00', 4],
        ['screen-1', '16:00:00', 1],
      ] as const;
      const differences = [
        { screenId: 'screen-1', hour: at('14:00:00.000'), sent: 4, stored: 3 },
        { screenId: 'screen-2', hour: at('15:00:00.000'), sent: 0, stored: 1 },
        { screenId: 'screen-1', hour: at('16:00:00.000'), sent: 1, stored: 0 },
      ];
      expect(await compareCounts(counts)).to.deep.equal({ equal: 0, differences, differenceCount: 3 });
    });

    it('reads only plays that begin in the window', async () => {
      const window = { from: at('15:00:00'), to: at('16:00:00') };
      expect(await compareCounts([['screen-2', '15:00:00', 1]], acme, window)).to.include({
        equal: 1,
        differenceCount: 0,
      });
      expect(await compareCounts([], acme, { from: at('17:00:00'), to: at('18:00:00') })).to.include({
        differenceCount: 1,
      });
    });
  });

  describe('by events', () => {
    const ids = (...named: readonly string[]) => named.map((eventId) => ({ eventId }));

    it('matches ids', async () => {
      expect(await compareEvents(ids('first', 'second', 'third', 'mapped'))).to.deep.equal({
        matched: 4,
        missing: [],
        different: [],
        extra: [],
        extraCount: 0,
      });
    });

    it('lists ids that are not stored, and stored plays that are not named', async () => {
      expect(await compareEvents(ids('first', 'lost', 'waiting'))).to.deep.equal({
        matched: 1,
        missing: ['lost', 'waiting'],
        different: [],
        extra: ['mapped', 'second', 'third'],
        extraCount: 3,
      });
    });

    it('does not list plays outside the window, but finds them by their id', async () => {
      const found = await compareEvents(ids('first', 'second', 'third', 'mapped', 'later'));
      expect(found).to.include({ matched: 5, extraCount: 0 });
    });

    it('compares the hash of the content with that of the first receipt', async () => {
      const { first, second, third } = plays;
      const events = [
        { eventId: 'first', contentHash: hashOf({ ...first, playedAt: '2026-08-20T16:10:00.0+02:00' }) },
        { eventId: 'second', contentHash: hashOf(second).toUpperCase() },
        { eventId: 'third', contentHash: hashOf({ ...third, durationMs: 7 }) },
        { eventId: 'mapped' },
      ];
      expect(await compareEvents(events)).to.deep.include({ matched: 3, different: ['third'], missing: [] });
      const conflicting = { eventId: 'second', contentHash: hashOf({ ...second, durationMs: 7 }) };
      expect(await compareEvents([conflicting])).to.deep.include({ different: ['second'] });
    });

    it('compares the play that a mapping made', async () => {
      const made = {
        ...{ eventId: 'mapped', screenId: 'screen-1', campaignId: 'C-100', creativeId: 'CR-1' },
        ...{ playedAt: at('14:30:00.000'), durationMs: 10_000 },
      };
      const found = await compareEvents([{ eventId: 'mapped', contentHash: hashOf(made) }]);
      expect(found).to.deep.include({ matched: 1, different: [] });
    });

    it('compares ten thousand ids', async () => {
      const many = Array.from({ length: 9_998 }, (_, index) => `absent-语-${String(index).padStart(30, '0')}`);
      const found = await compareEvents(ids('first', ...many, 'third'));
      expect(found).to.include({ matched: 2, extraCount: 2 });
      expect(found.missing).to.deep.equal(many);
    });
  });

  it('compares at most two requests of a key at a time', async () => {
    const events = Array.from({ length: 10_000 }, (_, index) => ({ eventId: `many-${index}` }));
    const requests = Array.from({ length: 8 }, () => request({ ...afternoon, events }));
    const replies = await Promise.all(requests);
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200, 429]));
    expect((await request({ ...afternoon, events: events.slice(0, 1) })).status).to.equal(200);
  });

  it('reads only plays of the vendor and network of the key', async () => {
    const beta = await system.apiKey(1, 'beta');
    expect(await compareCounts([['screen-1', '14:00:00', 2]], beta)).to.include({ equal: 1, differenceCount: 0 });
    expect(await compareEvents([{ eventId: 'second' }], await system.apiKey(2, 'acme'))).to.deep.include({
      missing: ['second'],
      extra: ['first', 'foreign'],
    });
    expect(await compareEvents([{ eventId: 'first' }], await system.apiKey(3, 'acme'))).to.deep.include({
      missing: ['first'],
      extra: [],
      extraCount: 0,
    });
  });

  it('refuses invalid requests and names the field', async () => {
    const cell = { screenId: 's', hour: at('14:00:00'), count: 1 };
    for (const [body, ...paths] of [
      [{}, 'from', 'to'],
      [afternoon, 'counts'],
      [{ ...afternoon, counts: [cell], events: [] }, 'counts'],
      [{ from: afternoon.to, to: afternoon.from, events: [] }, 'from'],
      [{ from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:01Z', events: [] }, 'to'],
      [{ from: '2026-08-01', to: afternoon.to, events: [] }, 'from'],
      [{ ...afternoon, from: at('14:30:00'), counts: [{ ...cell, hour: at('15:00:00') }] }, 'from'],
      [{ ...afternoon, counts: [{ ...cell, hour: at('14:30:00') }] }, 'counts[0].hour'],
      [{ ...afternoon, counts: [{ ...cell, hour: at('17:00:00') }] }, 'counts[0].hour'],
      [{ ...afternoon, counts: [{ ...cell, count: -1 }] }, 'counts[0].count'],
      [{ ...afternoon, counts: [cell, { ...cell, hour: '2026-08-20T16:00:00+02:00' }] }, 'counts[1]'],
      [{ ...afternoon, events: [{ eventId: 'a' }, { eventId: 'a' }] }, 'events[1]'],
      [{ ...afternoon, events: [{ eventId: 'a', contentHash: 'x' }] }, 'events[0].contentHash'],
      [{ ...afternoon, events: Array.from({ length: 10_001 }, (_, index) => ({ eventId: `e${index}` })) }, 'events'],
      [{ ...afternoon, events: [], vendor: 'beta' }, 'vendor'],
    ] as const) {
      const { status, body: answer } = await request(body);
      expect([status, answer.error?.code], JSON.stringify(body).slice(0, 200)).to.deep.equal([400, 'INVALID_REQUEST']);
      expect(answer.error?.details.map(({ path }) => path)).to.deep.equal(paths);
    }
    expect((await request({ ...afternoon, events: [] }, null)).status).to.equal(401);
    const direct = await request({ ...afternoon, events: [{ eventId: 'first' }] }, acme, system.queryUrl);
    expect(direct.status).to.equal(200);
  });
});
