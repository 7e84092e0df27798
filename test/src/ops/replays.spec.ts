import { registerProjection, readReplays } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { ops, type TestOps } from './ops.fixture.ts';

const { name, version } = allProjections.find((projection) => projection.name === 'uptime')!;

describe('POST /ops/v1/projections/{name}/replay', () => {
  let system: TestOps;
  before(async () => {
    system = await ops();
    await registerProjection(system.postgres, name, version + 1);
  });
  after(() => system.close());

  it('of a build that knows less than the one before is refused', async () => {
    const { status, body } = await system.ask('POST', `/projections/${name}/replay`, {});
    expect(status).to.equal(409);
    expect(body).to.have.nested.property('error.code', 'CONFLICT');
    expect(body)
      .to.have.property('message')
      .that.includes(`built by version ${version + 1}`)
      .and.includes(`version ${version}`);
    expect(await readReplays(system.postgres, 10)).to.deep.equal([]);
  });
});
