import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { dynamicSystem } from './dynamic.fixture.ts';
import { Crash, crashingStores } from './mortal.fixture.ts';
import { decide, type Refuses, runTo } from './parked.fixture.ts';
import { rebuildGeneration, readTables } from './rebuilt.fixture.ts';

const projection = 'coffee';
const wide = { rows: 10_000, bytes: 1e9, ageMs: 50 };
/** Steps of the writer from one death to the next. */
const stride = process.env['POPSVC_LONG'] === '1' ? 1 : 7;

describe('events that are taken late', () => {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses, more: object = {}) =>
    runTo(dynamic.system, projection, { limits: wide, ...(refuses && { refuses }), ...more });

  it('are taken wherever a life ended, and again when all is told again', async function () {
    this.timeout(300_000);
    const first = await dynamic.tell.play('A');
    await dynamic.tell.play('A', { playedAt: '2026-08-20T14:05:00.000Z' });
    await dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], name: 'Other', location: 3 }] });
    const refuses: Refuses = ({ type, position }) => position === first || type === 'DeviceChanged';
    await run(refuses);
    await decide(dynamic.system, { projection, positions: undefined });
    let deaths = 0;
    for (let dieAt = 1; ; dieAt += stride) {
      const life = crashingStores(dynamic.system, dieAt, deaths % 2 === 0 ? 'after' : 'before');
      const died = await run(undefined, life).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Crash) return true;
          throw error;
        },
      );
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).to.be.greaterThan(2);
    const before = await readTables(dynamic.system, 1);
    await rebuildGeneration(dynamic.system, 2, wide);
    expect(before).to.deep.equal(await readTables(dynamic.system, 2));
    await dynamic.system.postgres.query('UPDATE checkpoints SET position = 0 WHERE generation = 1');
    await run();
    expect(await readTables(dynamic.system, 1)).to.deep.equal(before);
  });
});
