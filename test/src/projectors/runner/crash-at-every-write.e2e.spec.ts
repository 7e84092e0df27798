import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { crashUntilDone } from './crashing-stores.fixture.ts';
import { appendTraffic, readPresence, rightPresence } from './traffic.fixture.ts';

describe('the runner, with a crash at every write', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
  });
  after(() => system.close());

  it('continues', async function () {
    this.timeout(600_000);
    await appendTraffic(system);
    expect(await crashUntilDone(system, 1)).to.be.greaterThan(15);
    expect(await readPresence(system)).to.deep.equal(rightPresence);
  });
});
