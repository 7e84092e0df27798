import { allProjections } from '@popsvc/projectors/projections';
import { dropGenerationProgress, dropGenerationTables } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import fc from 'fast-check';
import { scenario } from '../coffee/audience-scenario.ts';
import { readTables } from '../rebuild.fixture.ts';
import { registryOf } from '../coffee/scenario-registry.ts';
import { groupAppends } from '../coffee/scenario-appends.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { build, runUntilKilled } from './building.fixture.ts';
import { chooseSeed } from '../../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const networkCount = isLong ? 100 : 2;
const rounds = isLong ? 16 : 1;
const seed = chooseSeed(20_261_123);
const limits = { rows: isLong ? 200 : 60, bytes: 1e9, ageMs: 50, maxWindowRows: isLong ? 40 : 12 };

/** The same ids in two nights of different months: the first event of an id in the log counts. */
const networks = fc.tuple(
  ...Array.from({ length: networkCount }, (_, index) =>
    fc.tuple(scenario(index + 1), scenario(index + 1)).map(([one, other]) => ({
      ...one,
      events: [...one.events, ...other.events].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    })),
  ),
);
const roundArbitrary = fc.record({
  rows: fc.integer({ min: isLong ? 40 : 20, max: isLong ? 2_000 : 50 }),
  kills: fc.array(fc.record({ at: fc.integer({ min: 1, max: 60 }), isBefore: fc.boolean() }), {
    minLength: 1,
    maxLength: 2,
  }),
});

/** A build has other batches than the live generation, and is killed at any write: the rows are the same. */
describe(`killed builds of a generation (${networkCount} networks, ${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  const [scenarios, all] = fc.sample(
    fc.tuple(networks, fc.array(roundArbitrary, { minLength: rounds, maxLength: rounds })),
    { seed, numRuns: 1 },
  )[0]!;
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await system.register(registryOf(scenarios));
    for (const portion of [0, 1]) {
      for (const { network, events } of scenarios) {
        const share = events.filter((_, index) => Math.floor((index * 2) / events.length) === portion);
        for (const append of groupAppends(network, share))
          await system.appendAll(append.stream, append.events, { network, vendor: `v${network}` });
      }
      await system.project(limits);
    }
  });
  after(() => system.close());

  for (const [index, { rows, kills }] of all.entries())
    it(`have the rows of the live generation: batches of ${rows} rows, ${kills.length} kills`, async () => {
      const generation = index + 2;
      let killed = 0;
      for (const { name } of allProjections) {
        const parts = { limits: { ...limits, rows }, owner: `round-${index}` };
        for (const kill of kills)
          killed += Number(
            await runUntilKilled(system, kill, (more) => build(system, name, generation, { ...parts, ...more })),
          );
        await build(system, name, generation, parts);
        const [live, built] = [await readTables(system, 1, name), await readTables(system, generation, name)];
        for (const [table, expected] of Object.entries(live)) {
          expect(built[table]!.length, `${name} ${table}`).to.equal(expected.length);
          for (const [at, row] of expected.entries()) expect(built[table]![at], `${name} ${table}`).to.deep.equal(row);
        }
      }
      expect(killed).to.be.greaterThan(0);
    });

  it('begin again if ClickHouse loses their tables and their progress', async () => {
    const { writer } = system;
    const which = { projection: allProjections.find(({ name }) => name === 'coffee')!, generation: rounds + 2 };
    await build(system, 'coffee', which.generation, { limits });
    const built = await readTables(system, which.generation, 'coffee');
    await dropGenerationTables(writer, which);
    await dropGenerationProgress(writer, { projection: 'coffee', generation: which.generation });
    await build(system, 'coffee', which.generation, { limits });
    expect(built['coffee']).to.have.length.greaterThan(0);
    expect(await readTables(system, which.generation, 'coffee')).to.deep.equal(built);
  });
});
