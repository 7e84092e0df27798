import { expect } from 'chai';
import fc from 'fast-check';
import { scenario } from '../projectors/audience-scenario.ts';
import { told } from '../projectors/rebuilt.fixture.ts';
import { registryOf } from '../projectors/scenario-registry.ts';
import { appendsOf } from '../projectors/scenario-appends.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { build, builtAtOnce, dying, shuffling } from './building.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 100 : 4;
const rounds = isLong ? 16 : 1;
const seed = Number(process.env['SEED'] ?? 20_261_123);
const limits = { rows: isLong ? 200 : 60, bytes: 1e9, ageMs: 50, maxWindowRows: isLong ? 40 : 12 };

/** The same ids in two nights of different months: of those the first in the log stands. */
const networks = fc.tuple(
  ...Array.from({ length: count }, (_, index) =>
    fc.tuple(scenario(index + 1), scenario(index + 1)).map(([one, other]) => ({
      ...one,
      told: [...one.told, ...other.told].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    })),
  ),
);
const course = fc.record({
  partEvents: fc.integer({ min: isLong ? 100 : 15, max: isLong ? 3_000 : 120 }),
  rows: fc.integer({ min: isLong ? 40 : 8, max: isLong ? 2_000 : 50 }),
  order: fc.nat(),
  deaths: fc.array(fc.record({ at: fc.integer({ min: 1, max: 60 }), isBefore: fc.boolean() }), {
    minLength: 1,
    maxLength: 2,
  }),
});

/** However the log is parted, in whichever order, killed wherever: the rows are those of the live generation. */
describe(`parallel build compared with sequential folding (${count} networks, ${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 120_000);
  const [scenarios, courses] = fc.sample(
    fc.tuple(networks, fc.array(course, { minLength: rounds, maxLength: rounds })),
    { seed, numRuns: 1 },
  )[0]!;
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await system.register(registryOf(scenarios));
    for (const portion of [0, 1]) {
      for (const { network, told: all } of scenarios) {
        const share = all.filter((_, index) => Math.floor((index * 2) / all.length) === portion);
        for (const { stream, events } of appendsOf(network, share))
          await system.appendAll(stream, events, { network, vendor: `v${network}` });
      }
      await system.project(limits);
    }
  });
  after(() => system.close());

  for (const [index, { partEvents, rows, order, deaths }] of courses.entries())
    it(`in parts of ${partEvents} events, batches of ${rows} rows, ${deaths.length} kills`, async () => {
      const generation = index + 2;
      let died = 0;
      let state = order;
      const next = () => (state = (state * 48_271 + 1) % 2_147_483_647) / 2_147_483_647;
      for (const { name } of builtAtOnce) {
        const parts = {
          partEvents,
          limits: { ...limits, rows },
          leases: shuffling(system.parts.leases, next),
          owner: `life-${index}`,
        };
        for (const death of deaths)
          died += Number(await dying(system, death, (more) => build(system, name, generation, { ...parts, ...more })));
        await build(system, name, generation, parts);
        const [live, built] = [await told(system, 1, name), await told(system, generation, name)];
        for (const [table, expected] of Object.entries(live)) {
          expect(built[table]!.length, `${name} ${table}`).to.equal(expected.length);
          for (const [at, row] of expected.entries()) expect(built[table]![at], `${name} ${table}`).to.deep.equal(row);
        }
      }
      expect(died).to.be.greaterThan(0);
    });
});
