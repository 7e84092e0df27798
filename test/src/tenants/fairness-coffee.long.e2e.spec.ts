import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createStatusRegistry, superviseProjections } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { listEvents } from '../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
/** Plays and detections of one device and minute, sent in 12 requests. The long form has 6 million overlapping pairs. */
const size = isLong ? 6_000 : 120;
const requests = 12;
const limits = {
  rows: 20_000,
  bytes: 16_000_000,
  ageMs: 250,
  ...(isLong ? {} : { unitPairs: 6_000, batchPairs: 8_000 }),
};
const visibleWithinMs = 10_000;
const peakMemoryBytes = 1_000_000_000;

const startMs = Date.parse('2026-08-20T14:00:00.000Z');
const instant = (ms: number) => new Date(startMs + ms).toISOString();
/** Starts of plays and detections, spread evenly over 50 s; each lasts 10 s. */
const startOf = (index: number) => Math.floor((index * 50_000) / size);
const durationMs = 10_000;

const other = { network: 2, vendor: 'other' };
const registry = {
  networks: [...smallRegistry.networks, { id: 2, name: 'Other Media', timezone: 'Europe/London' }],
  vendors: [...smallRegistry.vendors, { code: 'other', name: 'Other player', network: 2 }],
  sites: [...smallRegistry.sites, { id: 12, name: 'Other site', network: 2, timezone: 'Europe/London' }],
  locations: [...smallRegistry.locations, { id: 13, name: 'Other floor', site: 12 }],
  devices: [...smallRegistry.devices, { id: 14, name: 'Other door', location: 13, screen_ids: ['other-1'] }],
};

const shortestPresenceMs = defaultThresholds.min_presence_ms;

/** Number of rows that the attack produces: the pairs that overlap for at least the shortest presence. */
const expectedRows = () => {
  let rows = 0;
  for (let play = 0; play < size; play += 1) {
    let pairs = 0;
    for (let detection = 0; detection < size; detection += 1)
      if (durationMs - Math.abs(startOf(play) - startOf(detection)) >= shortestPresenceMs) pairs += 1;
    rows += Math.max(1, pairs);
  }
  return rows;
};

const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;

describe(`a network with ${size} plays and ${size} detections of one device and minute`, function () {
  this.timeout(isLong ? 1_800_000 : 180_000);
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(registry);
    await system.project();
  });
  afterEach(() => system.close());

  const attack = async () => {
    const share = size / requests;
    for (let request = 0; request < requests; request += 1) {
      const indexes = Array.from({ length: share }, (_, index) => request * share + index);
      await system.appendAll(
        intakeStream('pop', 1, 'acme', Date.now()),
        listEvents(
          'PlaysRecorded',
          indexes.map((index) => ({
            eventId: `attack-${index}`,
            screenId: 'screen-1',
            campaignId: 'C-100',
            creativeId: 'CR-1',
            playedAt: instant(startOf(index)),
            durationMs,
          })),
          100,
        ),
      );
      await system.appendAll(
        intakeStream('detection', 1, 'acme', Date.now()),
        listEvents(
          'DetectionsRecorded',
          indexes.map((index) => ({
            detectionId: `attack-${index}`,
            revision: 0,
            deviceId: 4,
            watcherId: index,
            startedAt: instant(startOf(index)),
            endedAt: instant(startOf(index) + durationMs),
            distance: [],
            watches: [],
            population: 'VIEWER',
          })),
          100,
        ),
      );
    }
  };

  const count = async (sql: string): Promise<number> => {
    const [row] = await system.writer.rows<{ found: number }>(`SELECT toFloat64(${sql}) AS found`);
    return row!.found;
  };
  const attackRows = () => count('(SELECT count() FROM coffee_live WHERE network_id = 1)');
  const pendingRanges = () => count(`(SELECT count() FROM coffee_pending_g1 FINAL)`);
  /** Returns whether the newest play's batch is written, whose rows become visible slice by slice, and no range is pending. */
  const isComplete = async () => {
    const newestPlay = await count('(SELECT intDiv(max(pos), 1024) FROM plays_g1)');
    const written = await count(`(SELECT max(pos) FROM progress_coffee_g1)`);
    return written >= newestPlay && (await pendingRanges()) === 0;
  };

  /** Runs the live generation of coffee, as the projectors do, until `stop` is called. `onPutOff`: called when a batch puts off ranges. */
  const startCoffee = async (onPutOff = () => {}, ageMs = limits.ageMs) => {
    const end = new AbortController();
    const statusRegistry = createStatusRegistry();
    await system.postgres.query(
      `INSERT INTO read_models (projection, live_generation) VALUES ('coffee', 1) ON CONFLICT DO NOTHING`,
    );
    await system.postgres.query(
      `INSERT INTO generations (projection, generation, state, version) VALUES ('coffee', 1, 'live', 1) ON CONFLICT DO NOTHING`,
    );
    const projections = allProjections.filter(({ name }) => name === 'coffee');
    const writer: ClickHouseWriter = {
      ...system.parts.writer,
      async run(query, options) {
        await system.parts.writer.run(query, options);
        if (/INSERT INTO coffee_pending_g1\s+\(/.test(query)) onPutOff();
      },
    };
    const running = superviseProjections(
      { ...system.parts, writer, limits: { ...limits, ageMs }, statusRegistry, projections },
      end.signal,
    );
    return async () => {
      const beganAt = performance.now();
      end.abort();
      await running;
      return performance.now() - beganAt;
    };
  };

  /** Sends a play of the other network and waits until it is in the report; returns how long that took, in ms. */
  const timeUntilVisible = async (eventId: string): Promise<number> => {
    const sentAt = performance.now();
    await system.play({ eventId, screenId: 'other-1' }, other);
    const isVisible = () => count(`(SELECT count() FROM coffee_live WHERE network_id = 2 AND event_id = '${eventId}')`);
    while ((await isVisible()) === 0) {
      if (performance.now() - sentAt > 600_000) throw new Error(`${eventId} is not visible after 600 s`);
      await sleep(50);
    }
    return performance.now() - sentAt;
  };

  /** Samples the memory of the statements that derive rows, until the signal aborts. Returns the peak in bytes. */
  const samplePeakMemory = async (until: AbortSignal): Promise<number> => {
    let peak = 0;
    while (!until.aborted) {
      peak = Math.max(peak, await count('(SELECT max(peak_memory_usage) FROM system.processes)'));
      await sleep(50);
    }
    return peak;
  };

  it('does not delay the plays of another network, within bounded memory, and is complete in the end', async () => {
    const stopCoffee = await startCoffee();
    const quiet = [await timeUntilVisible('quiet-1'), await timeUntilVisible('quiet-2')];
    await attack();
    const sampling = new AbortController();
    const peak = samplePeakMemory(sampling.signal);
    const latencies: number[] = [];
    const rowsSeen: number[] = [];
    const attackedAt = performance.now();
    do {
      latencies.push(await timeUntilVisible(`play-${latencies.length}`));
      rowsSeen.push(await attackRows());
    } while (!(await isComplete()));
    sampling.abort();
    const expected = expectedRows();
    const seconds = (performance.now() - attackedAt) / 1_000;
    const p95 = percentile(latencies, 0.95);
    if (isLong)
      process.stdout.write(
        `    ${expected} rows in ${seconds.toFixed(0)} s; plays of others visible: quiet ${Math.max(...quiet).toFixed(0)} ms, ` +
          `p95 ${p95.toFixed(0)} ms of ${latencies.length}; peak memory ${((await peak) / 1e6).toFixed(0)} MB\n`,
      );
    // In the short form, other specs use the processors too; there, the order of the rows shows that nothing waits.
    if (isLong) expect(p95, 'ms until a play of another network is visible').to.be.lessThan(visibleWithinMs);
    expect(await peak, 'bytes of one statement').to.be.lessThan(peakMemoryBytes);
    expect(rowsSeen[0], "the attack's rows when the first play of the other network is visible").to.be.lessThan(
      expected,
    );
    expect(await attackRows()).to.equal(expected);
    await stopCoffee();
  });

  it('does not delay a stop, and its rows are complete after the next start', async () => {
    let putOff = () => {};
    const hasPutOff = new Promise<void>((resolve) => (putOff = resolve));
    // The first batch has all requests. If each had a batch of its own, none would have enough pairs to put any off.
    await attack();
    const stopFirst = await startCoffee(putOff, 2_000);
    await hasPutOff;
    const stoppedMs = await stopFirst();
    if (isLong) expect(stoppedMs, 'ms until the projection has stopped').to.be.lessThan(visibleWithinMs);
    expect(await pendingRanges()).to.be.greaterThan(0);
    const stopSecond = await startCoffee();
    await timeUntilVisible('after-the-start');
    while (!(await isComplete())) await sleep(200);
    expect(await attackRows()).to.equal(expectedRows());
    await stopSecond();
  });
});
