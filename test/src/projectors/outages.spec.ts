import { livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type LivenessChange, toLivenessEvent, onlineWindowMs } from '@popsvc/domain/status';
import { type Outage, effectiveOutages } from '../oracle/outages.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { rebuildGeneration, readTables } from './rebuild.fixture.ts';
import { listEvent } from '../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 5_000 : 200;
const startMs = Date.parse('2026-08-20T06:00:00.000Z');

/** Few instants, so that boundaries coincide. */
const steps = (most: number) => fc.integer({ min: 0, max: most }).map((step) => step * 100_000);

interface Case {
  readonly outages: readonly Outage[];
  readonly backfilledMs: readonly number[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  outages: fc.tuple(fc.uniqueArray(steps(40), { minLength: 2, maxLength: 8 }), fc.boolean()).map(([edges, isShort]) => {
    const sorted = edges.sort((one, other) => one - other).map((ms) => startMs + ms);
    const found: Outage[] = [];
    for (let at = 0; at < sorted.length; at += 2) {
      const [offlineAtMs, onlineAtMs = null] = [sorted[at]!, sorted[at + 1]];
      found.push({ offlineAtMs, onlineAtMs: isShort && onlineAtMs !== null ? offlineAtMs : onlineAtMs });
    }
    return found;
  }),
  backfilledMs: fc.array(
    steps(44).map((ms) => startMs + ms - 400_000),
    { maxLength: 8 },
  ),
});

const changesOf = ({ outages }: Case): LivenessChange[] =>
  outages.flatMap(({ offlineAtMs, onlineAtMs }): LivenessChange[] => [
    { status: 'offline', offlineAtMs, lastReceivedMs: offlineAtMs - onlineWindowMs },
    ...(onlineAtMs === null ? [] : [{ status: 'online', onlineAtMs, offlineSinceMs: offlineAtMs } as const]),
  ]);

describe('outages', () => {
  let service: TestSystem;
  before(async () => {
    service = await startTestSystem({ of: ['status'] });
  });
  after(() => service.close());

  const readEffectiveOutages = () =>
    service.writer.rows<{
      kind: string;
      id: string;
      was: string;
      is: string | null;
      seconds: number;
      backfilled: number;
    }>(
      `SELECT kind, toString(id) AS id, toString(toUnixTimestamp64Milli(offline_at)) AS was,
         toString(toUnixTimestamp64Milli(online_at)) AS is, seconds, backfilled
       FROM effective_outages_live ORDER BY kind, effective_outages_live.id, was`,
    );

  it('have one row each, from the event of their beginning or of their end alone', async () => {
    const device = (id: number, change: LivenessChange) => {
      const { type, data } = toLivenessEvent({ kind: 'device', id }, change);
      return service.append(livenessStream('device', id), type, data);
    };
    const [offlineAtMs, onlineAtMs] = [startMs, startMs + 90_500];
    await device(4, { status: 'online', onlineAtMs: startMs - 9_000_000, offlineSinceMs: null });
    await device(4, { status: 'offline', offlineAtMs, lastReceivedMs: offlineAtMs - onlineWindowMs });
    await service.projectOne('status');
    const beforeMs = Date.now();
    const [open] = await readEffectiveOutages();
    expect(open).to.include({ kind: 'device', id: '4', was: String(startMs), is: null, backfilled: 0 });
    // In whole or fractional seconds, until the query.
    expect(open!.seconds).to.be.within((beforeMs - startMs) / 1_000 - 1, (Date.now() - startMs) / 1_000 + 1);
    await device(4, { status: 'online', onlineAtMs, offlineSinceMs: offlineAtMs });
    await device(5, { status: 'online', onlineAtMs, offlineSinceMs: offlineAtMs });
    await service.projectOne('status');
    const row = { kind: 'device', was: String(startMs), is: String(onlineAtMs), seconds: 90.5, backfilled: 0 };
    expect(await readEffectiveOutages()).to.deep.equal([
      { ...row, id: '4' },
      { ...row, id: '5' },
    ]);
  });

  it(`are computed in ClickHouse as in the domain (${count} feeders)`, async function () {
    this.timeout(isLong ? 600_000 : 180_000);
    const all = fc.sample(cases, isLong ? count : { numRuns: count, seed: 71 });
    const events = all.flatMap((each, index) => {
      const feederId = index + 1;
      return [
        ...changesOf(each).map((change) => toLivenessEvent({ kind: 'feeder', id: feederId }, change)),
        ...each.backfilledMs.map((ms) => listEvent('HeartbeatsRecorded', { feederId, at: instantOf(ms) })),
      ];
    });
    // The stream does not matter to the projection; a single stream needs few appends.
    for (let from = 0; from < events.length; from += 1_000)
      await service.appendAll('heartbeat-1.acme.20260820', events.slice(from, from + 1_000), {
        receivedAt: instantOf(startMs + 8.64e7),
      });
    await service.projectOne('status');
    const found = (await readEffectiveOutages()).filter(({ kind }) => kind === 'feeder');
    const rows = new Map<string, unknown[]>();
    for (const { id, was, is, backfilled } of found)
      rows.set(id, [...(rows.get(id) ?? []), [Number(was), is === null ? null : Number(is), backfilled]]);
    all.forEach(({ outages, backfilledMs }, index) => {
      const left = outages.flatMap((outage) => effectiveOutages(outage, backfilledMs));
      expect(rows.get(String(index + 1)) ?? [], JSON.stringify(all[index])).to.deep.equal(
        left.map(({ offlineAtMs, onlineAtMs, backfilled }) => [offlineAtMs, onlineAtMs, backfilled ? 1 : 0]),
      );
    });
    expect(found.length).to.be.greaterThan(count);
  });

  it('are the same when projected again with other batches', async () => {
    await rebuildGeneration(service, 2, { rows: 150, bytes: 1e9, ageMs: 1 }, 'status');
    expect(await readTables(service, 2, 'status')).to.deep.equal(await readTables(service, 1, 'status'));
  });
});
