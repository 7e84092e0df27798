import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { summarizeDetection } from '@popsvc/domain/audience';
import { expect } from 'chai';
import fc from 'fast-check';
import { projecting, type Projecting } from '../support/projecting.ts';
import { scenario, type Scenario } from './audience-scenario.ts';
import { expectedCoffee, standingDetections } from './expected-coffee.ts';
import { registryOf } from './scenario-registry.ts';
import { appendsOf } from './told-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 3_000 : 48;
const seed = Number(process.env['SEED'] ?? 20_261_025);

const byKey = (row: Record<string, unknown>) => `${String(row['EVENT_ID'])}/${String(row['WATCHERID'])}`;
const sorted = (rows: readonly Record<string, unknown>[]) => [...rows].sort((a, b) => (byKey(a) < byKey(b) ? -1 : 1));

/** The SQL that runs is held against the domain functions: random networks through both, equal rows demanded. */
describe(`SQL against the domain (${count} networks, seed ${seed})`, () => {
  const scenarios = fc.sample(fc.tuple(...Array.from({ length: count }, (_, index) => scenario(index + 1))), {
    seed,
    numRuns: 1,
  })[0]!;
  let house: Projecting;
  let coffee: Map<unknown, Record<string, unknown>[]>;
  let watchers: Map<unknown, Record<string, unknown>[]>;

  const grouped = (rows: readonly Record<string, unknown>[], key: (row: Record<string, unknown>) => unknown) => {
    const groups = new Map<unknown, Record<string, unknown>[]>();
    for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
    return groups;
  };

  /** Told in three portions, projected after each in batches of 40 events: recomputation is part of what is held here. */
  const tell = async () => {
    const portions = [0, 1, 2];
    await house.register(registryOf(scenarios));
    for (const portion of portions) {
      for (const { network, told } of scenarios) {
        const share = told.filter((_, index) => Math.floor((index * portions.length) / told.length) === portion);
        for (const { stream, events } of appendsOf(network, share))
          await house.appendAll(stream, events, { network, vendor: `v${network}` });
      }
      await house.project({ rows: isLong ? 400 : 80, bytes: 1e9, ageMs: 2_000 });
    }
  };

  before(async function () {
    this.timeout(isLong ? 1_800_000 : 120_000);
    house = await projecting({ of: ['registry', 'coffee', 'watcher-summary'] });
    await tell();
    coffee = grouped(await house.rows(coffeeDataset), (row) => row['NETWORK_ID']);
    watchers = grouped(await house.rows(watcherSummaryDataset), (row) => row['DEVICE_ID']);
  });
  after(() => house.close());

  it('has enough to compare', () => {
    const rows = [...coffee.values()].flat();
    expect(rows.length).to.be.greaterThan(count);
    expect(rows.filter((row) => row['WATCHERID'] !== null).length).to.be.greaterThan(count / 2);
    const types = rows.map((row) => row['POP_TYPE']);
    for (const type of ['NONE', 'UNMEASURED'])
      expect(types.filter((each) => each === type).length, type).to.be.greaterThan(count / 16);
    for (const flag of ['IS_IMPRESSION', 'IS_WATCHED', 'IS_GLANCE', 'IS_VIEW', 'IS_VIEW_THROUGH'])
      expect(new Set(rows.map((row) => row[flag])), flag).to.deep.equal(new Set([0, 1]));
  });

  it('makes the coffee rows the domain specifies', () => {
    for (const each of scenarios) {
      const expected = sorted(expectedCoffee(each));
      const rows = sorted(coffee.get(each.network) ?? []);
      const compared = rows.map((row, index) =>
        Object.fromEntries(Object.keys(expected[index] ?? row).map((column) => [column, row[column]])),
      );
      expect(compared, JSON.stringify(each)).to.deep.equal(expected);
    }
  });

  it('makes the watcher-summary rows the domain specifies', () => {
    const expected = (each: Scenario) =>
      standingDetections(each).map((detection) => {
        const { isWatcher, durationMs, attention } = summarizeDetection(detection, each.thresholds);
        return [Number(detection.detectionId.slice(1)), isWatcher ? 1 : 0, durationMs / 1_000, attention];
      });
    for (const each of scenarios) {
      const rows = (watchers.get(each.network) ?? []).map((row) =>
        ['WATCHERID', 'IS_WATCHER', 'DURATION', 'ATTENTION'].map((column) => row[column]),
      );
      expect(rows, JSON.stringify(each)).to.have.deep.members(expected(each));
    }
  });

  it('keeps one row a play and detection, and nested flags', () => {
    const rows = [...coffee.values()].flat();
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
