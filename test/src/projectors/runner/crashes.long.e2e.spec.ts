import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { deletePartList } from '@popsvc/platform/postgres';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import fc from 'fast-check';
import { build } from '../replay/building.fixture.ts';
import { type Part, partsOf, pretendRestart } from '../replay/lost-parts.fixture.ts';
import { projectionNamed } from '../replay/replay-system.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { scenario } from '../coffee/audience-scenario.ts';
import { crashingStores, isCrash } from './crashing-stores.fixture.ts';
import { expectSameTables, rebuildGeneration, readTables } from '../rebuild.fixture.ts';
import { registryOf } from '../coffee/scenario-registry.ts';
import { groupAppends } from '../coffee/scenario-appends.ts';
import { chooseSeed } from '../../support/rounds.ts';
import { listEvent } from '../../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 200 : 4;
const portions = isLong ? 100 : 4;
const seed = chooseSeed(20_261_122);
const baseMs = Date.parse('2026-10-25T00:55:00Z');

/** Heartbeats and intervals, which coffee ignores and uptime stores. */
const signals = fc.array(
  fc.record({
    app: fc.constantFrom('player', 'browser', undefined),
    state: fc.constantFrom('running', 'stopped'),
    minute: fc.integer({ min: -600, max: 600 }),
    isInterval: fc.boolean(),
    lastHeartbeat: fc.option(fc.integer({ min: 0, max: 30 }), { nil: null }),
    isClosed: fc.boolean(),
    revision: fc.integer({ min: 0, max: 1 }),
  }),
  { minLength: 8, maxLength: 30 },
);

const steps = fc.array(
  fc.record({
    crashAt: fc.integer({ min: 1, max: 40 }),
    isBefore: fc.boolean(),
    isRestart: fc.boolean(),
    lost: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: portions, maxLength: portions },
);
const coffeeTables = projectionNamed('coffee').tables.map(({ name }) => name);

/** A projector that crashes again and again, also with ClickHouse, leaves the rows of an undisturbed rebuild. */
describe(`crashing projectors against a rebuild (${count} networks, ${portions} runs, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  const [scenarios, allSignals, crashes] = fc.sample(
    fc.tuple(fc.tuple(...Array.from({ length: count }, (_, index) => scenario(index + 1))), signals, steps),
    { seed, numRuns: 1 },
  )[0]!;
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee', 'uptime'] });
    await system.register(registryOf(scenarios));
    ({ writer } = system.parts);
  });
  after(() => system.close());

  const share = <Each>(all: readonly Each[], portion: number) =>
    all.filter((_, index) => Math.floor((index * portions) / all.length) === portion);

  const appendSignals = async (network: number, portion: number) => {
    const from = { network, vendor: `v${network}` };
    for (const { app, state, minute, isInterval, lastHeartbeat, isClosed, revision } of share(allSignals, portion)) {
      const at = (plus: number) => instantOf(baseMs + (minute + plus) * 60_000);
      const of = { deviceId: network, ...(app !== undefined && { appCode: app, state }) };
      const interval = {
        deviceId: network,
        appCode: app ?? 'player',
        state,
        revision,
        startedAt: instantOf(baseMs + (minute % 3) * 60_000),
        endedAt: isClosed ? at(700) : null,
        lastHeartbeatAt: lastHeartbeat === null ? null : at(lastHeartbeat),
      };
      await system.appendAll(
        intakeStream(isInterval ? 'interval' : 'heartbeat', network, from.vendor, 0),
        [isInterval ? listEvent('IntervalsRecorded', interval) : listEvent('HeartbeatsRecorded', { ...of, at: at(0) })],
        from,
      );
    }
  };

  let writer: ClickHouseWriter;
  /** Runs a projection. Returns true when it crashed. */
  const runOnce = (name: string, { crashAt, isBefore }: (typeof crashes)[number]): Promise<boolean> => {
    const stores = crashingStores(
      { ...system, parts: { ...system.parts, writer } },
      crashAt,
      isBefore ? 'before' : 'after',
    );
    // Batches put off most networks, so that crashes also hit pending ranges and their units.
    const limits = { rows: 60, bytes: 1e9, ageMs: 1_000, unitPairs: 10, batchPairs: 20 };
    return isCrash(system.projectOne(name, { ...stores, limits }));
  };

  /** Runs coffee. In half of the steps, ClickHouse then restarts without some of the parts that this run has written. */
  const runCoffee = async (step: (typeof crashes)[number]): Promise<boolean> => {
    const nameOf = ({ table, name }: Part) => `${table} ${name}`;
    const earlier = new Set((await partsOf(system, coffeeTables, 1)).map(nameOf));
    const isCrashed = await runOnce('coffee', step);
    if (!step.isRestart) return isCrashed;
    const isUnmerged = ({ name }: Part) => /_(\d+)_\1_\d+$/.test(name);
    const written = (await partsOf(system, coffeeTables, 1)).filter(
      (part) => part.active && isUnmerged(part) && !earlier.has(nameOf(part)),
    );
    await deletePartList(system.postgres, { projection: 'coffee', generation: 1 });
    writer = await pretendRestart(
      system,
      written.filter((_, index) => (step.lost >> (index % 8)) & 1),
    );
    return isCrashed;
  };

  it('leaves the same rows of coffee, feeder_heartbeats, heartbeats and intervals', async () => {
    let crashed = 0;
    for (const [portion, crash] of crashes.entries()) {
      for (const { network, events: all } of scenarios) {
        for (const { stream, events } of groupAppends(network, share(all, portion)))
          await system.appendAll(stream, events, { network, vendor: `v${network}` });
        if (network <= 12) await appendSignals(network, portion);
      }
      crashed += Number(await runCoffee(crash));
      crashed += Number(await runOnce('uptime', { ...crash, crashAt: 1 + (crash.crashAt % 4) }));
    }
    expect(crashed).to.be.greaterThan(portions / 2);
    for (const [name, facts] of [
      ['coffee', ['coffee', 'feeder_heartbeats', 'feeder_places']],
      ['uptime', ['heartbeats', 'intervals']],
    ] as const) {
      await system.projectOne(name, { writer });
      await rebuildGeneration(system, 2, { rows: 5_000, bytes: 1e9, ageMs: 2_000 }, name);
      const rebuilt = await readTables(system, 2, name);
      for (const fact of facts) expect(rebuilt[fact], fact).to.not.have.length(0);
      await expectSameTables(system, [2, 1], name);
      await build(system, name, 3, { limits: { rows: 150, bytes: 1e9, ageMs: 50 } });
      await expectSameTables(system, [2, 3], name);
    }
  });
});
