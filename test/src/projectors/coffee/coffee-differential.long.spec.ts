import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { findReplay, planReplay, registerProjection } from '@popsvc/platform/postgres';
import { runReplay } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { summarizeDetection } from '../../oracle/audience.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { scenario, type Scenario, type ScenarioEvent } from './audience-scenario.ts';
import { expectedCoffee, winningDetections } from './expected-coffee.ts';
import { registryOf } from './scenario-registry.ts';
import { groupAppends } from './scenario-appends.ts';
import { thresholdScenarios } from './threshold-scenarios.ts';
import { chooseSeed } from '../../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 3_000 : 6;
const seed = chooseSeed(isLong ? 20_261_025 : 20_261_109);

const byKey = (row: Record<string, unknown>) => `${String(row['EVENT_ID'])}/${String(row['WATCHERID'])}`;
const sorted = (rows: readonly Record<string, unknown>[]) => [...rows].sort((a, b) => (byKey(a) < byKey(b) ? -1 : 1));

const grouped = (rows: readonly Record<string, unknown>[], key: (row: Record<string, unknown>) => unknown) => {
  const groups = new Map<unknown, Record<string, unknown>[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return groups;
};

/** The rows of coffee by network, and those of watcher-summary by device. */
const readRows = async (service: TestSystem) => ({
  coffee: grouped(await service.rows(coffeeDataset), (row) => row['NETWORK_ID']),
  watchers: grouped(await service.rows(watcherSummaryDataset), (row) => row['DEVICE_ID']),
});
type Rows = Awaited<ReturnType<typeof readRows>>;

const expectCoffee = (scenarios: readonly Scenario[], { coffee }: Rows) => {
  for (const each of scenarios) {
    const expected = sorted(expectedCoffee(each));
    const rows = sorted(coffee.get(each.network) ?? []);
    const compared = rows.map((row, index) =>
      Object.fromEntries(Object.keys(expected[index] ?? row).map((column) => [column, row[column]])),
    );
    expect(compared, JSON.stringify(each)).to.deep.equal(expected);
  }
};

const expectWatchers = (scenarios: readonly Scenario[], { watchers }: Rows) => {
  const expected = (each: Scenario) =>
    winningDetections(each).map((detection) => {
      const { isWatcher, durationMs, attention } = summarizeDetection(detection, each.thresholds);
      return [Number(detection.detectionId.slice(1)), isWatcher ? 1 : 0, durationMs / 1_000, attention];
    });
  for (const each of scenarios) {
    const rows = (watchers.get(each.network) ?? []).map((row) =>
      ['WATCHERID', 'IS_WATCHER', 'DURATION', 'ATTENTION'].map((column) => row[column]),
    );
    expect(rows, JSON.stringify(each)).to.have.deep.members(expected(each));
  }
};

const appendEvents = async (service: TestSystem, network: number, share: readonly ScenarioEvent[]) => {
  for (const { stream, events } of groupAppends(network, share))
    await service.appendAll(stream, events, { network, vendor: `v${network}` });
};

/** Runs networks whose events lie at the thresholds through the SQL and through the domain functions. */
describe('the audience SQL against the domain, at all thresholds', () => {
  const scenarios = thresholdScenarios(1);
  let service: TestSystem;
  let rows: Rows;

  before(async () => {
    service = await startTestSystem({ of: ['registry', 'coffee', 'watcher-summary'] });
    await service.register(registryOf(scenarios));
    // Detections and heartbeats find stored plays, whose rows must be computed again. Moves of feeders would recompute all plays.
    for (const isFirst of [true, false]) {
      for (const { network, events } of scenarios)
        await appendEvents(
          service,
          network,
          events.filter(({ kind }) => (kind === 'play' || kind === 'move') === isFirst),
        );
      await service.project();
    }
    rows = await readRows(service);
  });
  after(() => service.close());

  it('computes the coffee rows that the domain specifies', () => expectCoffee(scenarios, rows));
  it('computes the watcher-summary rows that the domain specifies', () => expectWatchers(scenarios, rows));
});

/** Runs random networks through the SQL and through the domain functions, which must give equal rows. */
describe(`the audience SQL against the domain (${count} networks, seed ${seed})`, () => {
  const scenarios = fc.sample(fc.tuple(...Array.from({ length: count }, (_, index) => scenario(index + 1))), {
    seed,
    numRuns: 1,
  })[0]!;
  let service: TestSystem;
  let stored: Rows;

  /**
   * Appends the events in three portions and projects each in batches of 40 events, so that recomputation is tested too. The
   * batches of the second portion put off most networks, whose rows are then derived in units and slices.
   */
  const appendAndProject = async () => {
    const portions = [0, 1, 2];
    await service.register(registryOf(scenarios));
    for (const portion of portions) {
      for (const { network, events } of scenarios) {
        const share = events.filter((_, index) => Math.floor((index * portions.length) / events.length) === portion);
        await appendEvents(service, network, share);
      }
      const small = portion === 1 ? { unitPairs: 5, batchPairs: 10 } : {};
      await service.project({ rows: isLong ? 400 : 80, bytes: 1e9, ageMs: 2_000, ...small });
    }
  };

  before(async function () {
    this.timeout(isLong ? 1_800_000 : 600_000);
    service = await startTestSystem({ of: ['registry', 'coffee', 'watcher-summary'] });
    await appendAndProject();
    stored = await readRows(service);
  });
  after(() => service.close());

  it('generates enough rows to compare, and puts off networks', async () => {
    const [putOff] = await service.writer.rows<{ networks: string }>(
      `SELECT uniq(network_id) AS networks FROM coffee_pending_g1`,
    );
    expect(Number(putOff?.networks)).to.be.greaterThan(count / 8);
    const rows = [...stored.coffee.values()].flat();
    expect(rows.length).to.be.greaterThan(count);
    expect(rows.filter((row) => row['WATCHERID'] !== null).length).to.be.greaterThan(count / 2);
    const types = rows.map((row) => row['POP_TYPE']);
    for (const type of ['NONE', 'UNMEASURED'])
      expect(types.filter((each) => each === type).length, type).to.be.greaterThan(count / 16);
    for (const flag of ['IS_IMPRESSION', 'IS_WATCHED', 'IS_GLANCE', 'IS_VIEW', 'IS_VIEW_THROUGH'])
      expect(new Set(rows.map((row) => row[flag])), flag).to.deep.equal(new Set([0, 1]));
  });

  it('computes the coffee rows that the domain specifies', () => expectCoffee(scenarios, stored));
  it('computes the watcher-summary rows that the domain specifies', () => expectWatchers(scenarios, stored));

  for (const name of ['coffee', 'watcher-summary'])
    it(`computes the same rows of ${name} from the stored facts again`, async function () {
      this.timeout(isLong ? 1_800_000 : 600_000);
      const { postgres, parts } = service;
      const projection = allProjections.find((each) => each.name === name)!;
      const { version } = projection;
      await registerProjection(postgres, name, version);
      const from = { source: 'facts', reason: 'test' } as const;
      const replay = (await planReplay(postgres, { projection: name, version, verify: true, from }))!;
      // Units of several networks, and networks of several units.
      const limits = { rows: 400, bytes: 1e9, ageMs: 10, maxWindowRows: isLong ? 5_000 : 10 };
      const dependencies = { ...parts, postgres, projections: allProjections, keepMs: 3_600_000, limits };
      await runReplay(dependencies, replay, projection, new AbortController().signal);
      const { state, verified, differences, error } = (await findReplay(postgres, replay.id))!;
      expect({ state, verified, differences, error }).to.deep.equal({
        state: 'done',
        verified: true,
        differences: [],
        error: null,
      });
    });

  it('stores one row for each play and detection, with nested flags', () => {
    const rows = [...stored.coffee.values()].flat();
    expect(new Set(rows.map((row) => row['DETAILID'])).size).to.equal(rows.length);
    const nest = rows.every(
      (row) =>
        Number(row['IS_VIEW_THROUGH']) <= Number(row['IS_VIEW']) &&
        Number(row['IS_VIEW']) <= Number(row['IS_GLANCE']) &&
        Number(row['IS_GLANCE']) <= Math.min(Number(row['IS_WATCHED']), Number(row['IS_IMPRESSION'])),
    );
    expect(nest).to.equal(true);
  });
});
