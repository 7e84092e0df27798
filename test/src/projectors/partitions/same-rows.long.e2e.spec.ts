import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { chooseSeed } from '../../support/rounds.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';
import { crashingStores, isCrash } from '../runner/crashing-stores.fixture.ts';
import { createTraffic, fourPartitions, runPartition, splitNames } from './partitioned.fixture.ts';

const seed = chooseSeed(20_261_125);
const networks = 20;
/** Every run of a partition has a cost of its own, so the short form has fewer runs, and not fewer networks. */
const portions = process.env['POPSVC_LONG'] === '1' ? 4 : 2;

describe(`four partitions that crash again and again (${networks} networks, seed ${seed})`, function () {
  this.timeout(300_000);
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', ...splitNames] });
  });
  after(() => system.close());

  const appendProbe = () =>
    system.append(probeStream('test'), ProbeEmitted.type, { service: 'test', emittedAt: new Date().toISOString() });

  it('write the same rows as one partition', async () => {
    const traffic = createTraffic(system, networks, seed);
    await ensureSchema(
      system.writer,
      allProjections.map((projection) => ({ projection, generation: 2, partitions: projection.isSplit ? 4 : 1 })),
    );
    let crashes = 0;
    for (let portion = 0; portion < portions; portion += 1) {
      if (portion === 0) await traffic.register();
      else await traffic.change(portion);
      await traffic.append(portion, portions);
      const upTo = await appendProbe();
      for (const name of splitNames)
        await Promise.all(
          fourPartitions.map(async (partition) => {
            const target = { name, generation: 2, partition };
            const crashAt = 1 + ((seed + 7 * portion + 3 * partition.index) % (name === 'coffee' ? 30 : 5));
            const limits = { rows: 40, bytes: 1e9, ageMs: 1_000, unitPairs: 10, batchPairs: 20 };
            const stores = { ...crashingStores(system, crashAt, crashAt % 2 === 0 ? 'before' : 'after'), limits };
            if (await isCrash(runPartition(system, target, upTo, stores))) crashes += 1;
          }),
        );
    }
    expect(crashes).to.be.greaterThan(portions * 4);
    const upTo = await appendProbe();
    for (const name of splitNames) {
      for (const partition of fourPartitions) await runPartition(system, { name, generation: 2, partition }, upTo);
      await rebuildGeneration(system, 3, { rows: 10_000, bytes: 1e9, ageMs: 1_000 }, name);
      const [split, whole] = [await readTables(system, 2, name), await readTables(system, 3, name)];
      for (const [table, rows] of Object.entries(whole))
        if (!table.endsWith('_pending')) expect(split[table], table).to.deep.equal(rows);
    }
    const [{ coffee }] = (await system.writer.rows<{ coffee: number }>(
      'SELECT toUInt32(count()) AS coffee FROM coffee_g2 FINAL',
    )) as [{ coffee: number }];
    expect(coffee).to.be.greaterThan(15);
  });
});
