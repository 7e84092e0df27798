import { sequenceOf } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem } from '../dynamic-events/dynamic.fixture.ts';
import { Crash, crashingStores } from '../runner/crashing-stores.fixture.ts';
import { decide, type Refuses, runTo } from './parked.fixture.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';

const projection = 'coffee';
const wide = { rows: 10_000, bytes: 1e9, ageMs: 50 };
/** Writes from one crash to the next. */
const stride = process.env['POPSVC_LONG'] === '1' ? 1 : 7;

describe('parked events that are retried', () => {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses, more: object = {}) =>
    runTo(dynamic.system, projection, { limits: wide, ...(refuses && { refuses }), ...more });

  it('are applied once after a crash at any write, and when the log is folded again', async function () {
    this.timeout(300_000);
    const first = await dynamic.events.play('A');
    await dynamic.events.play('A', { playedAt: '2026-08-20T14:05:00.000Z' });
    await dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], name: 'Other', location: 3 }] });
    const refuses: Refuses = ({ type, sequence }) => sequence === sequenceOf(first) || type === 'DeviceChanged';
    await run(refuses);
    await decide(dynamic.system, { projection, sequences: undefined });
    let crashes = 0;
    for (let crashAt = 1; ; crashAt += stride) {
      const stores = crashingStores(dynamic.system, crashAt, crashes % 2 === 0 ? 'after' : 'before');
      const crashed = await run(undefined, stores).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Crash) return true;
          throw error;
        },
      );
      if (!crashed) break;
      crashes += 1;
    }
    expect(crashes).to.be.greaterThan(2);
    const before = await readTables(dynamic.system, 1);
    await rebuildGeneration(dynamic.system, 2, wide);
    expect(before).to.deep.equal(await readTables(dynamic.system, 2));
    await dynamic.system.postgres.query('UPDATE checkpoints SET position = 0 WHERE generation = 1');
    await run();
    expect(await readTables(dynamic.system, 1)).to.deep.equal(before);
  });
});
