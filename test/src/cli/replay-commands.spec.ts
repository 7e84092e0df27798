import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { registerProjection, planReplay } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { operatorToken, ops, type TestOps } from '../ops/ops.fixture.ts';
import { type Popsvc, popsvcBin, popsvcWith } from '@popsvc/tools/rig';

/** Where a replay is asked for, and nobody conducts it. */
describe('popsvc projections replay, watch, cancel', function () {
  this.timeout(30_000);
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await ops();
    popsvc = popsvcWith({ POPSVC_OPS_URL: system.baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken });
    await registerProjection(system.postgres, 'coffee', 1);
    await planReplay(system.postgres, { projection: 'coffee', version: 1, verify: true });
  });
  after(() => system.close());

  const set = (state: string, step: object | null) =>
    system.postgres.query('UPDATE replays SET state = $1, step = $2, events = 900, total = 900', [state, step]);

  /** Watches until something is told that holds this. */
  const watching = async (wanted: string): Promise<{ child: ChildProcess; told: () => string }> => {
    const env = { PATH: process.env['PATH'], POPSVC_OPS_URL: system.baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken };
    const child = spawn(process.execPath, [popsvcBin, 'projections', 'watch', 'coffee'], { env });
    let told = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (text: Buffer) => {
        told += text.toString();
        if (told.includes(wanted)) resolve();
      });
      child.once('exit', () => reject(new Error(`it ended: ${told}`)));
    });
    return { child, told: () => told };
  };

  it('tell what is done besides folding, and how much of it', async () => {
    await set('building', { name: 'log', done: 3, of: 40 });
    const { child, told } = await watching('40 events');
    child.kill('SIGKILL');
    expect(told()).to.equal('coffee generation 2 is built: counting the log, 3 of 40 events\n');
  });

  it('say that it goes on, and how to watch and to end it, when they are left by Ctrl-C', async () => {
    await set('verifying', { name: 'rows', done: 1_000, of: 4_000 });
    const { child, told } = await watching('1,000 of 4,000 rows');
    child.kill('SIGINT');
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal]).to.deep.equal([null, 'SIGINT']);
    expect(told()).to.match(/The replay of coffee goes on without this command\./);
    expect(told()).to.include('popsvc projections watch coffee').and.to.include('popsvc projections cancel coffee');
    const { rows } = await system.postgres.query<{ ended: boolean }>(
      'SELECT cancel_requested_at IS NOT NULL OR ended_at IS NOT NULL AS ended FROM replays',
    );
    expect(rows).to.deep.equal([{ ended: false }]);
  });

  it('name the projections there are to who wants something of one that is not', async () => {
    const verbs = ['replay', 'rollback', 'pause', 'resume', 'cancel', 'watch'];
    for (const { code, stdout, stderr } of await Promise.all(verbs.map((verb) => popsvc('projections', verb, 'tea')))) {
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^popsvc: There is no projection tea.*; there are .*coffee/);
    }
  });

  it('say that there is nothing to watch', async () => {
    await system.postgres.query(`UPDATE replays SET state = 'cancelled', ended_at = now()`);
    const verbs = ['watch', 'cancel'];
    const ran = await Promise.all(verbs.map((verb) => popsvc('projections', verb, 'coffee')));
    expect(ran.map(({ code, stderr }) => [code, stderr])).to.deep.equal(
      verbs.map((verb) => [1, `popsvc: There is no replay of coffee to ${verb}.\n`]),
    );
  });
});
