import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { registerProjection, planReplay } from '@popsvc/platform/postgres';
import { createProjectionReader } from '@popsvc/ops-api/server';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { operatorToken, startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { type Popsvc, popsvcBin, createPopsvcCommand } from '@popsvc/tools/rig';

/** The replay is only planned in PostgreSQL: no process executes it. */
describe('popsvc projections replay, watch, cancel', function () {
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestOps({
      readProjections: () =>
        createProjectionReader({
          store: system.store,
          postgres: system.postgres,
          declarations: allProjections,
          followers: [],
        })(),
    });
    popsvc = createPopsvcCommand({ POPSVC_OPS_URL: system.baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken });
    await registerProjection(system.postgres, 'coffee', 1);
    await planReplay(system.postgres, { projection: 'coffee', version: 1, verify: true });
  });
  after(() => system.close());

  const setReplay = (state: string, step: object | null) =>
    system.postgres.query('UPDATE replays SET state = $1, step = $2, events = 900, total = 900', [state, step]);

  /** Starts `projections watch` and waits until its output contains `text`. */
  const startWatching = async (text: string): Promise<{ child: ChildProcess; output: () => string }> => {
    const env = { PATH: process.env['PATH'], POPSVC_OPS_URL: system.baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken };
    const child = spawn(process.execPath, [popsvcBin, 'projections', 'watch', 'coffee'], { env });
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes(text)) resolve();
      });
      child.once('exit', () => reject(new Error(`the command ended: ${output}`)));
    });
    return { child, output: () => output };
  };

  it('print the current step and its progress', async () => {
    await setReplay('verifying', { name: 'rows', done: 3, of: 40 });
    const { child, output } = await startWatching('40 rows');
    child.kill('SIGKILL');
    expect(output()).to.equal(
      'coffee generation 2 is being compared with the current tables: comparing, 3 of 40 rows\n',
    );
  });

  it('print the derived days and the remaining time of a replay from facts', async () => {
    await setReplay('building', { name: 'days', done: 3, of: 40 });
    await system.postgres.query(
      `UPDATE replays SET source = 'facts', started_at = now() - interval '90 s', total = 1800`,
    );
    const { child, output } = await startWatching('40 days');
    child.kill('SIGKILL');
    expect(output()).to.match(/^coffee generation 2 is being built: deriving, 3 of 40 days, about 1 min.* left\n$/);
  });

  it('leave the replay running on Ctrl-C and print how to watch and cancel it', async () => {
    await setReplay('verifying', { name: 'rows', done: 1_000, of: 4_000 });
    const { child, output } = await startWatching('1,000 of 4,000 rows');
    child.kill('SIGINT');
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal]).to.deep.equal([null, 'SIGINT']);
    expect(output()).to.match(/The replay of coffee continues without this command\./);
    expect(output()).to.include('popsvc projections watch coffee').and.to.include('popsvc projections cancel coffee');
    const { rows } = await system.postgres.query<{ ended: boolean }>(
      'SELECT cancel_requested_at IS NOT NULL OR ended_at IS NOT NULL AS ended FROM replays',
    );
    expect(rows).to.deep.equal([{ ended: false }]);
  });

  it('list the existing projections if the named one does not exist', async () => {
    const verbs = ['replay', 'rollback', 'pause', 'resume', 'cancel', 'watch'];
    for (const { code, stdout, stderr } of await Promise.all(verbs.map((verb) => popsvc('projections', verb, 'tea')))) {
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^popsvc: There is no projection tea.*; the projections (with tables )?are .*coffee/);
    }
  });

  it('print the source of a requested replay', async () => {
    await system.postgres.query(`UPDATE replays SET state = 'cancelled', ended_at = now()`);
    const { code, stderr } = await popsvc('projections', 'replay', 'coffee', '--from', 'facts', '--no-wait');
    expect([code, stderr]).to.deep.equal([
      0,
      'coffee is replayed from the stored facts: the request names this source.\n',
    ]);
  });

  it('name the previous generation at the end only if it is kept', async () => {
    const watchUntilDone = async (): Promise<string> => {
      await system.postgres.query(`UPDATE replays SET state = 'building', step = NULL, ended_at = NULL, error = NULL`);
      const { child } = await startWatching('is being built');
      let output = '';
      child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await system.postgres.query(`UPDATE replays SET state = 'done', ended_at = now()`);
      await once(child, 'close');
      return output;
    };
    await system.postgres.query(`DELETE FROM replays WHERE id <> (SELECT min(id) FROM replays)`);
    expect(await watchUntilDone())
      .to.match(/^Readers of coffee see generation 2/)
      .and.to.not.include('rollback');
    await system.postgres.query(`DELETE FROM generations WHERE projection = 'coffee' AND generation > 1`);
    await system.postgres.query(`UPDATE generations SET state = 'kept' WHERE projection = 'coffee'`);
    await system.postgres.query(
      `INSERT INTO generations (projection, generation, state, version) VALUES ('coffee', 2, 'live', 1)`,
    );
    await system.postgres.query(`UPDATE generations SET drop_after = now() WHERE state = 'kept'`);
    expect(await watchUntilDone(), 'due to be dropped').to.not.include('rollback');
    await system.postgres.query(`UPDATE generations SET drop_after = now() + interval '1 day' WHERE state = 'kept'`);
    expect(await watchUntilDone()).to.include('Generation 1 is kept for a while: popsvc projections rollback coffee\n');
  });

  it('find a running replay although a hundred newer ones have ended', async () => {
    await system.postgres.query(
      `UPDATE replays SET state = 'building', step = NULL, ended_at = NULL WHERE projection = 'coffee'`,
    );
    await system.postgres.query(
      `INSERT INTO replays (projection, kind, from_generation, to_generation, verify, state, ended_at)
       SELECT 'registry', 'replay', n, n + 1, false, 'done', now() FROM generate_series(1, 101) AS n`,
    );
    const { child, output } = await startWatching('coffee generation 2');
    child.kill('SIGKILL');
    expect(output()).to.include('is being built');
  });

  it('report that no replay is running', async () => {
    await system.postgres.query(`UPDATE replays SET state = 'cancelled', ended_at = now()`);
    const verbs = ['watch', 'cancel'];
    const ran = await Promise.all(verbs.map((verb) => popsvc('projections', verb, 'coffee')));
    expect(ran.map(({ code, stderr }) => [code, stderr])).to.deep.equal(
      verbs.map((verb) => [1, `popsvc: There is no replay of coffee to ${verb}.\n`]),
    );
  });
});
