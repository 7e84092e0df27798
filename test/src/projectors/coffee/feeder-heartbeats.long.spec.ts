import { intakeStream } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { instantOf } from '@popsvc/contracts/time';
import { wasFeederOnline } from '../../oracle/audience.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { listEvent } from '../../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 3_000 : 300;
const rounds = 8;
const baseMs = Date.parse('2026-08-20T14:00:00.000Z');

type DeviceEvent =
  { readonly kind: 'play'; startMs: number; durationMs: number } | { readonly kind: 'beat'; atMs: number };

/** Half minutes, plus or minus a millisecond, so that heartbeats fall on both sides of each boundary. */
const near = (from: number, to: number) =>
  fc
    .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: -1, max: 1 }))
    .map(([half, off]) => baseMs + half * 30_000 + off);
const heartbeat = fc.record({ kind: fc.constant('beat' as const), atMs: near(-15, 8) });
const play = fc.record({
  kind: fc.constant('play' as const),
  startMs: near(0, 4),
  durationMs: fc.constantFrom(1, 10_000, 10_000, 70_000, 400_000),
});
const deviceEvent: fc.Arbitrary<DeviceEvent> = fc.oneof(
  { weight: 3, arbitrary: play },
  { weight: 2, arbitrary: heartbeat },
);

/**
 * Earlier heartbeats narrow which plays a heartbeat makes stale. Each device has a feeder, and a few plays and heartbeats in some
 * order. Each round appends the next event of all devices as a batch or two, so a play that was left out by mistake stays wrong.
 */
describe(`feeder heartbeats against the domain (${count} feeders)`, () => {
  const all = fc.sample(
    fc.array(deviceEvent, { minLength: rounds, maxLength: rounds }),
    isLong ? count : { numRuns: count, seed: 20_260_820 },
  );
  let service: TestSystem;
  before(async function () {
    service = await startTestSystem({ of: ['registry', 'coffee'] });
    const ids = all.map((_, index) => index + 100);
    await service.register({
      ...smallRegistry,
      devices: ids.map((id) => ({ id, name: `D${id}`, location: 3, screen_ids: [`s${id}`] })),
      feeders: ids.map((id) => ({ id, name: `F${id}`, device: id })),
      cameras: [],
    });
    await service.projectOne('coffee');
  });
  after(() => service.close());

  const eventOf = (each: DeviceEvent, id: number, round: number) =>
    each.kind === 'beat'
      ? listEvent('HeartbeatsRecorded', { feederId: id, at: instantOf(each.atMs) })
      : listEvent('PlaysRecorded', {
          eventId: `${id}/${round}`,
          screenId: `s${id}`,
          campaignId: 'C',
          creativeId: 'CR',
          playedAt: instantOf(each.startMs),
          durationMs: each.durationMs,
        });

  it('give NONE to the plays of the domain in any order of events', async function () {
    this.timeout(isLong ? 600_000 : 180_000);
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ['pop', 'heartbeat'] as const) {
        const events = all.flatMap((each, index) => {
          const event = each[round]!;
          return (event.kind === 'play') === (kind === 'pop') ? [eventOf(event, index + 100, round)] : [];
        });
        await service.appendAll(intakeStream(kind, 1, 'acme', 0), events);
      }
      // Another run, which knows no heartbeat yet, projects the rest.
      if (round === 5 || round === rounds - 1)
        await service.projectOne('coffee', { limits: { rows: count, bytes: 1e9, ageMs: 500 } });
    }
    const rows = await service.rows(coffeeDataset);
    const types = new Map(rows.map((row) => [row['EVENT_ID'], row['POP_TYPE']]));
    expect(types.size).to.equal(rows.length);
    let none = 0;
    for (const [index, each] of all.entries())
      for (const [round, play] of each.entries()) {
        if (play.kind !== 'play') continue;
        const isOnline = wasFeederOnline(
          play,
          each.flatMap((other) => (other.kind === 'beat' ? [other.atMs] : [])),
        );
        none += Number(isOnline);
        expect(types.get(`${index + 100}/${round}`), JSON.stringify({ play, each })).to.equal(
          isOnline ? 'NONE' : 'UNMEASURED',
        );
      }
    expect(Math.min(none, rows.length - none), 'plays of either kind').to.be.greaterThan(rows.length / 20);
  });
});
