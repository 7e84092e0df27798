import { registerProjection, readReplays } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { startTestOps, type TestOps } from './ops.fixture.ts';

const { name, version } = allProjections.find((projection) => projection.name === 'uptime')!;

describe('POST /ops/v1/projections/{name}/replay', () => {
  let system: TestOps;
  before(async () => {
    system = await startTestOps();
    await registerProjection(system.postgres, name, version + 1);
  });
  after(() => system.close());

  it('rejects a replay by a release older than the live generation', async () => {
    const { status, body } = await system.request('POST', `/projections/${name}/replay`, {});
    expect(status).to.equal(409);
    expect(body).to.have.nested.property('error.code', 'CONFLICT');
    expect(body)
      .to.have.property('message')
      .that.includes(`built by version ${version + 1}`)
      .and.includes(`version ${version}`);
    expect(await readReplays(system.postgres, 10)).to.deep.equal([]);
  });
});
