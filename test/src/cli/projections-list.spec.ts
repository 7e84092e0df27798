import { expect } from 'chai';
import { ops, standing, type TestOps } from '../ops/ops.fixture.ts';
import { popsvcOf } from './popsvc.fixture.ts';

describe('popsvc projections list', () => {
  let system: TestOps;
  const failing = { ...standing, name: 'uptime', state: 'failing', error: 'no room on the disk' } as const;
  before(async () => {
    system = await ops({ readProjections: () => Promise.resolve([standing, failing]) });
  });
  after(() => system.close());

  it('says of each how far it is, and why it does not get on', async () => {
    const { code, stdout } = await popsvcOf(system)('projections', 'list');
    const [heads, coffee, uptime] = stdout.split('\n');
    expect([code, heads?.split(/\s+/)]).to.deep.equal([
      0,
      ['NAME', 'GENERATION', 'STATE', 'POSITION', 'LAG_EVENTS', 'LAG_SECONDS', 'PARKED', 'OUTDATED', 'ERROR'],
    ]);
    expect(coffee).to.match(/^coffee .* running .* -$/);
    expect(uptime).to.match(/^uptime .* failing .* no room on the disk$/);
  });
});
