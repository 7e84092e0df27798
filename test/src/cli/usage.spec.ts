import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { operatorToken, ops, type TestOps } from '../ops/ops.fixture.ts';
import { temporaryFolder } from '../support/engines.ts';
import { popsvcWith } from '@popsvc/tools/rig';
import { popsvcHere } from './popsvc.fixture.ts';

const nobody = popsvcWith({});
/** What one process shows of how it ends, the others need not: they take a second each. */
const nobodyHere = popsvcHere({});

describe('popsvc', () => {
  for (const [index, args] of [
    [],
    ['registry'],
    ['registri', 'apply', 'x'],
    ['registry', 'apply'],
    ['registry', 'apply', 'x', 'y'],
    ['registry', 'apply', 'x', '--dryrun'],
    ['api-keys', 'create', '--network', '1'],
    ['api-keys', 'create', '--network', 'one', '--vendor', 'a'],
    ['api-keys', 'create', '--network', '1', '--vendor', 'a', '--requests-per-second', '0'],
    ['api-keys', 'create', '--network', '1', '--vendor', 'a', '--expires', '2027-01-01'],
    ['clients', 'create', '--networks', '1,,2'],
    ['projections', 'list', '--network', '1'],
    ['jobs', 'list', '--status', 'done'],
  ].entries())
    it(`ends with 2 on wrong usage: popsvc ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await (index < 2 ? nobody : nobodyHere)(...args);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).not.to.equal('');
    });

  it('helps without a service, on standard output, and ends with 0', async () => {
    for (const [popsvc, ...args] of [
      [nobody, '--help'],
      [nobodyHere, 'registry', 'apply', '--help'],
      [nobodyHere, 'help', 'import'],
    ] as const) {
      const { code, stdout } = await popsvc(...args);
      expect([code, stdout.includes('Usage: popsvc')], args.join(' ')).to.deep.equal([0, true]);
    }
  });

  it('says how to name a service when it knows none', async () => {
    const { code, stdout, stderr } = await nobody('projections', 'list');
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('POPSVC_OPS_URL').and.to.include('DATA_DIR');
  });

  it('says that a service does not answer', async () => {
    const away = popsvcWith({ POPSVC_OPS_URL: 'http://127.0.0.1:9', POPSVC_OPERATOR_TOKEN: 'x' });
    const { code, stderr } = await away('projections', 'list');
    expect(code).to.equal(1);
    expect(stderr).to.match(/^popsvc: http:\/\/127\.0\.0\.1:9 does not answer/);
  });

  for (const address of ['localhost:8082', 'ops', 'ftp://ops'])
    it(`says that ${address} is no address of a service`, async () => {
      const lost = popsvcHere({ POPSVC_OPS_URL: address, POPSVC_OPERATOR_TOKEN: 'x' });
      const { code, stdout, stderr } = await lost('projections', 'list');
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^popsvc: .* http:\/\/localhost:8082, and POPSVC_OPS_URL has ".*"\.\n$/);
    });

  describe('with a service on this machine', () => {
    let system: TestOps;
    let dataDir: string;
    before(async () => {
      system = await ops();
      dataDir = join(await temporaryFolder('data'), '.data');
      await mkdir(dataDir);
      const demo = { ops_base_url: 'http://127.0.0.1:9', operator_token: operatorToken };
      await writeFile(join(dataDir, 'demo-credentials.json'), JSON.stringify(demo));
      await writeFile(join(dataDir, 'endpoints.json'), JSON.stringify({ ops_base_url: `${system.baseUrl}/` }));
    });
    after(() => system.close());

    it('finds it in DATA_DIR, by default ./.data', async () => {
      for (const popsvc of [popsvcWith({ DATA_DIR: dataDir }), popsvcWith({ DATA_DIR: '' }, join(dataDir, '..'))])
        expect((await popsvc('projections', 'list')).stdout).to.include('coffee');
    });

    it('rather believes the environment', async () => {
      const wrongToken = popsvcWith({ DATA_DIR: dataDir, POPSVC_OPERATOR_TOKEN: 'another-token' });
      const { code, stderr } = await wrongToken('projections', 'list');
      expect([code, stderr.trim()]).to.deep.equal([1, 'popsvc: The operator token is not valid.']);
    });

    it('says which file is not what it should be', async () => {
      const broken = join(await temporaryFolder('data'), '.data');
      await mkdir(broken);
      await writeFile(join(broken, 'endpoints.json'), '{');
      const { code, stderr } = await popsvcWith({ DATA_DIR: broken })('projections', 'list');
      expect(code).to.equal(1);
      expect(stderr).to.include(join(broken, 'endpoints.json'));
    });
  });
});
