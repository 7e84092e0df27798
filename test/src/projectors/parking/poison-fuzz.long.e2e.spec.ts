import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { countParkedEvents } from '@popsvc/platform/postgres';
import { UnfoldableEvent } from '@popsvc/projectors/engine';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { decide, runTo } from './parked.fixture.ts';
import { chooseSeed } from '../../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = isLong ? 60 : 1;
const perRound = 60;
const seed = chooseSeed(20_261_124);

const year = fc.constantFrom(
  '0000',
  '0001',
  '1582',
  '1899',
  '1900',
  '1969',
  '1970',
  '2026',
  '2105',
  '2106',
  '2107',
  '2150',
  '2261',
  '2262',
  '2299',
  '2300',
  '9999',
);
const instant = fc
  .tuple(year, fc.constantFrom('-01-01T00:00:00.000Z', '-12-31T23:59:59.999Z'))
  .map((parts) => parts.join(''));
const whole = fc.constantFrom(0, 1, -1, 255, 65_536, 86_400_000, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1), 1e15);
const text = fc.constantFrom(
  '',
  ' ',
  'A',
  '\0',
  '\ud800',
  "'; DROP TABLE plays",
  '€'.repeat(500),
  '\n',
  '[]',
  '{upTo:UInt64}',
);
const or = <Each, Other>(usual: Other, other: fc.Arbitrary<Each>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

const at = '2026-08-20T14:00:00.000Z';
const later = '2026-08-20T14:00:10.000Z';
/** Data of an event with one to three items. */
const listOf = (field: string, item: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ [field]: fc.array(fc.record(item), { minLength: 1, maxLength: 3 }) });
const events = fc.oneof(
  fc.record({
    stream: fc.constant('pop-1.acme.20260820'),
    type: fc.constant('PlaysRecorded'),
    data: listOf('plays', {
      eventId: or('A', text),
      screenId: or('screen-1', text),
      campaignId: or('C-100', text),
      creativeId: or('CR-1', text),
      playedAt: or(at, instant),
      durationMs: or(10_000, whole),
    }),
  }),
  fc.record({
    stream: fc.constant('detection-1.acme.20260820'),
    type: fc.constant('DetectionsRecorded'),
    data: listOf('detections', {
      detectionId: or('p', text),
      revision: or(0, whole),
      deviceId: or(4, whole),
      feederId: or(5, whole),
      watcherId: or(1, whole),
      startedAt: or(at, instant),
      endedAt: or(later, instant),
      distance: fc.array(fc.constantFrom(0, -1, 1e308, 5e-324), { maxLength: 2 }),
      watches: fc.array(fc.record({ startedAt: or(at, instant), endedAt: or(later, instant) }), { maxLength: 2 }),
      population: fc.constantFrom('VIEWER', 'FOOTFALL'),
    }),
  }),
  fc.record({
    stream: fc.constant('heartbeat-1.acme.20260820'),
    type: fc.constant('HeartbeatsRecorded'),
    data: listOf('heartbeats', { feederId: or(5, whole), deviceId: or(4, whole), at: or(at, instant) }),
  }),
  fc.record({
    stream: fc.constant('interval-1.acme.20260820'),
    type: fc.constant('IntervalsRecorded'),
    data: listOf('intervals', {
      deviceId: or(4, whole),
      appCode: or('player', text),
      state: fc.constantFrom('running', 'stopped'),
      startedAt: or(at, instant),
      endedAt: or(later, instant),
      lastHeartbeatAt: or(null, instant),
      revision: or(0, whole),
    }),
  }),
  fc.record({
    stream: fc.constant('dynamicPop-1.acme.20260820'),
    type: fc.constant('DynamicPlaysRecorded'),
    data: fc.record({
      schemaVersion: or('flat-1', text),
      items: fc.array(fc.record({ any: text }), { minLength: 1, maxLength: 3 }),
    }),
  }),
  fc.record({
    stream: fc.constant('registry-device.4'),
    type: fc.constant('DeviceChanged'),
    data: fc.record({
      id: fc.constant(4),
      name: fc.constant('D'),
      location: or(3, whole),
      screen_ids: fc.array(text, { maxLength: 2 }),
      effective_from: or(at, instant),
    }),
  }),
  fc.record({
    stream: fc.constant('registry-metric_definition.1%2F2'),
    type: fc.constant('MetricDefinitionRegistered'),
    data: fc.record({
      network: fc.constant(1),
      version: or(2, whole),
      effective_from: or(at, instant),
      thresholds: fc.constant({ impression_ms: 1_500 }),
    }),
  }),
);
const metadata = fc.record({
  schemaVersion: fc.constant(1),
  receivedAt: or('2026-08-20T15:00:00.000Z', fc.oneof(instant, text)),
  network: or(1, whole),
  vendor: or('acme', text),
});

/**
 * Every event is projected or parked, or stops the projection and is discarded if its stream is one of the registry. ClickHouse
 * receives no rows that it refuses.
 */
describe(`events of any content (${rounds} rounds of ${perRound}, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  let system: TestSystem;
  let client: EventStoreDBClient;
  let discarded = 0;
  before(async () => {
    system = await startTestSystem();
    client = EventStoreDBClient.connectionString(system.node.url);
    await system.register(smallRegistry);
  });
  after(async () => {
    await client.dispose();
    await system.close();
  });

  /** Runs a projection to the end of the log. Discards the events of the registry at which it stops. */
  const runAndDiscard = async (projection: string): Promise<void> => {
    for (;;)
      try {
        await runTo(system, projection, { limits: { rows: 10_000, bytes: 1e9, ageMs: 30 } });
        return;
      } catch (error) {
        if (!(error instanceof UnfoldableEvent)) throw error;
        expect(error.item.stream).to.match(/^registry-/);
        await decide(system, { projection, sequences: [error.item.sequence], reason: 'unreadable' });
        discarded += 1;
      }
  };

  it('never stop a projection, unless they belong to the registry', async () => {
    const all = fc.sample(fc.array(fc.tuple(events, metadata), { minLength: perRound, maxLength: perRound }), {
      seed,
      numRuns: rounds,
    });
    let parked = 0;
    for (const round of all) {
      for (const [{ stream, type, data }, about] of round)
        await client.appendToStream(stream, jsonEvent({ id: randomUUID(), type, data: { ...data }, metadata: about }));
      for (const name of ['registry', 'coffee', 'watcher-summary', 'uptime', 'status']) await runAndDiscard(name);
      parked += (await countParkedEvents(system.postgres)).reduce((sum, of) => sum + of.parked, 0);
      // More would reach the parking limit.
      await system.postgres.query('DELETE FROM parked_events');
    }
    expect(parked).to.be.greaterThan(rounds * 5);
    expect(discarded).to.be.greaterThan(rounds);
    expect(parked).to.be.lessThan(rounds * perRound * 3);
  });
});
