import { streamPrefixes } from '@popsvc/contracts/events';
import { splitEvent } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { dynamicSystem, flat, receivedAt } from './dynamic.fixture.ts';
import { listEvents } from '../../support/list-events.ts';

const hourOf = (instant: string) => `${instant.slice(0, 13).replace('T', ' ')}:00:00.000`;
const first = { playedAt: '2026-08-20T14:00:00.000Z' };
const other = { playedAt: '2026-08-20T14:05:00.000Z' };

describe('the balance of a vendor', () => {
  const dynamic = dynamicSystem();

  /** Number of plays in the log, by vendor and hour of receipt. */
  const logged = async () => {
    const [counts, stop] = [new Map<string, number>(), new AbortController()];
    const prefixes = [streamPrefixes.pop, streamPrefixes.dynamicPop, streamPrefixes.bulkRows];
    for await (const followed of dynamic.system.store.subscribe({ after: 'start', prefixes, signal: stop.signal })) {
      if (followed.kind === 'caught-up') break;
      const { vendor, receivedAt: at } = followed.event.metadata;
      const key = `${vendor} ${hourOf(at)}`;
      counts.set(key, (counts.get(key) ?? 0) + splitEvent(followed.event).length);
    }
    stop.abort();
    return Object.fromEntries(counts);
  };

  /** Projects, compares `received` with the log, and returns the other counts by hour: stored, duplicate, conflict, quarantined. */
  const figures = async () => {
    await dynamic.system.projectOne('coffee');
    const rows = await dynamic.events.balance();
    const received = rows.map(({ vendor, hour, received: count }) => [`${String(vendor)} ${String(hour)}`, count]);
    expect(Object.fromEntries(received)).to.deep.equal(await logged());
    return rows.map(({ stored, duplicate, conflict, quarantined }) => [stored, duplicate, conflict, quarantined]);
  };
  const marks = async () => (await dynamic.events.balance()).map(({ late, clock_ahead }) => [late, clock_ahead]);

  it('counts a repeated play as a duplicate, in the same request, in others, and months later', async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat(), flat(), flat({ id: 'B', start: '2026-08-20T14:00:10Z' })]);
    expect(await figures()).to.deep.equal([[2, 1, 0, 0]]);
    await dynamic.events.send([flat()]);
    expect(await figures()).to.deep.equal([[2, 2, 0, 0]]);
    await dynamic.events.send([flat()], { receivedAt: '2026-09-01T00:00:00.000Z' });
    expect(await figures()).to.deep.equal([
      [2, 2, 0, 0],
      [0, 1, 0, 0],
    ]);
  });

  it("identifies a play sent in the canonical schema and in the vendor's own schema", async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat()]);
    await dynamic.events.play('A', first);
    await dynamic.events.play('B', other);
    await dynamic.events.send([flat({ id: 'B', start: '2026-08-20T14:05:00Z' })]);
    expect(await figures()).to.deep.equal([[2, 2, 0, 0]]);
  });

  for (const [order, one, two] of [
    ['before', first, other],
    ['after', other, first],
  ] as const)
    it(`counts other content under the same id as a conflict, for a play ${order} the stored one`, async () => {
      await dynamic.events.play('A', two);
      expect(await figures()).to.deep.equal([[1, 0, 0, 0]]);
      await dynamic.events.play('A', one);
      await dynamic.events.play('A', two);
      await dynamic.events.play('A', { ...two, startReason: 'manual' });
      expect(await figures()).to.deep.equal([[1, 1, 2, 0]]);
    });

  it('counts again when a released event precedes the stored play', async () => {
    await dynamic.events.send([
      flat(),
      flat({ id: 'B', start: '2026-08-20T14:00:10Z' }),
      flat({ id: 'C', seconds: 'long' }),
    ]);
    await dynamic.events.play('A', first, { receivedAt: '2026-08-20T16:59:59.999Z' });
    await dynamic.events.play('B', other, { receivedAt: '2026-08-20T16:00:00.000Z' });
    expect(await figures()).to.deep.equal([
      [0, 0, 0, 3],
      [2, 0, 0, 0],
    ]);
    await dynamic.events.map();
    expect(await figures()).to.deep.equal([
      [2, 0, 0, 1],
      [0, 1, 1, 0],
    ]);
    expect((await dynamic.events.plays()).map(([id]) => id)).to.deep.equal(['A', 'B']);
  });

  it('separates vendors that use the same ids', async () => {
    await dynamic.system.register({ vendors: [{ code: 'other', name: 'Other player', network: 1 }] });
    await dynamic.events.play('A', first);
    await dynamic.events.play('A', first, { vendor: 'other' });
    expect(await figures()).to.deep.equal([
      [1, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
  });

  it('marks late plays and clocks that run ahead for stored receipts only', async () => {
    const ago = (days: number, ms = 0) => new Date(Date.parse(receivedAt) - days * 86_400_000 + ms).toISOString();
    await dynamic.events.play('on time', { playedAt: ago(14) });
    await dynamic.events.play('late', { playedAt: ago(14, -1) });
    await dynamic.events.play('late', { playedAt: ago(14, -1) });
    await dynamic.events.play('near', { playedAt: ago(0, 60_000) });
    await dynamic.events.play('ahead', { playedAt: ago(0, 60_001) });
    await dynamic.events.play('ahead', { playedAt: ago(0, 60_002) });
    expect(await figures()).to.deep.equal([[4, 1, 1, 0]]);
    expect(await marks()).to.deep.equal([[1, 1]]);
  });

  it('counts an id that is sent ten thousand times without rewriting earlier receipts', async () => {
    for (let sent = 0; sent < 10_000; sent += 500)
      await dynamic.system.appendAll(
        'pop-1.acme.20260820',
        listEvents(
          'PlaysRecorded',
          Array.from({ length: 500 }, () => ({
            eventId: 'A',
            screenId: 'screen-1',
            campaignId: 'C-100',
            creativeId: 'CR-1',
            durationMs: 10_000,
            ...first,
          })),
          100,
        ),
        { receivedAt },
      );
    await dynamic.system.projectOne('coffee', { limits: { rows: 2_500, bytes: 1e9, ageMs: 5_000 } });
    expect(await figures()).to.deep.equal([[1, 9_999, 0, 0]]);
    const [written] = await dynamic.system.writer.rows<{ rows: number }>('SELECT count() AS rows FROM receipts_g1');
    expect(written!.rows).to.equal(10_000);
  });
});
