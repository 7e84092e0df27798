import { setTimeout as sleep } from 'node:timers/promises';
import { withPausedGeneration } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { createGate, readLeftovers } from './gate.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const registry = allProjections.find(({ name }) => name === 'registry')!;
/** The second statement that pauses a generation prolongs the pause. */
const prolonging = 2;

describe('the pause of a generation', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry'] });
  });
  after(() => system.close());

  it('is over when its work is done, even if a statement that prolongs it is late', async () => {
    const parts = system.dependenciesOf('one');
    const { postgres } = system;
    const gate = createGate();
    let pauses = 0;
    let isLate = false;
    const connect = async () => {
      const client = await postgres.connect();
      const delayedQuery = async (text: string, values: unknown[]) => {
        if (text.includes('SET held_until = now() +')) {
          pauses += 1;
          if (pauses === prolonging) {
            await gate.pass();
            await sleep(500);
            isLate = true;
          }
        }
        return client.query(text, values);
      };
      return new Proxy(client, {
        get: (target, name) => (name === 'query' ? delayedQuery : Reflect.get(target, name, target)) as unknown,
      });
    };
    const query = postgres.query.bind(postgres);
    const delayed = new Proxy(postgres, {
      get: (pool, name) => ({ connect, query })[String(name)] ?? (Reflect.get(pool, name, pool) as unknown),
    });
    await withPausedGeneration(
      { ...parts, postgres: delayed },
      { projection: registry, generation: 1, epoch: 1n },
      async () => {
        await gate.reached();
        gate.open();
      },
      new AbortController().signal,
    );
    await waitUntil(
      () => Promise.resolve(isLate),
      (isOver) => isOver,
    );
    await sleep(100);
    expect((await readLeftovers(system)).held).to.deep.equal([]);
  });
});
