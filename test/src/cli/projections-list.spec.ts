import { expect } from 'chai';
import { startTestOps, runningProjection, type TestOps } from '../ops-api/ops.fixture.ts';
import { popsvcFor } from './popsvc.fixture.ts';

describe('popsvc projections list', () => {
  let system: TestOps;
  const failing = { ...runningProjection, name: 'uptime', state: 'failing', error: 'disk full' } as const;
  before(async () => {
    system = await startTestOps({ readProjections: () => Promise.resolve([runningProjection, failing]) });
  });
  after(() => system.close());

  it('prints the state, position, lag and error of each projection', async () => {
    const { code, stdout } = await popsvcFor(system)('projections', 'list');
    const [heading, coffee, uptime] = stdout.split('\n');
    expect([code, heading?.split(/\s+/)]).to.deep.equal([
      0,
      ['NAME', 'GENERATION', 'STATE', 'POSITION', 'LAG_EVENTS', 'LAG_SECONDS', 'PARKED', 'OUTDATED', 'ERROR'],
    ]);
    expect(coffee).to.match(/^coffee .* running .* -$/);
    expect(uptime).to.match(/^uptime .* failing .* disk full$/);
  });
});
