import { planReplay, recordDamage, registerProjection, readReplays } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { chooseReplaySource } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { operatorToken, startTestOps, type TestOps } from './ops.fixture.ts';

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

  it('names the source of the replay and the reason', async () => {
    await registerProjection(system.postgres, 'coffee', 1);
    const { status, body } = await system.request('POST', '/projections/coffee/replay', {});
    expect(status).to.equal(202);
    expect(body).to.include({
      source: 'log',
      source_reason: 'this version built the live tables, and only a replay from the log verifies their facts',
    });
    await system.postgres.query(`UPDATE replays SET state = 'cancelled', ended_at = now()`);
  });

  it('copies facts if the request says so, unless they are damaged', async () => {
    const requested = { source: 'facts', verify: true };
    const first = await system.request('POST', '/projections/coffee/replay', requested);
    expect(first.status).to.equal(202);
    expect(first.body).to.include({ source: 'facts', source_reason: 'the request names this source' });
    await system.postgres.query(`UPDATE replays SET state = 'cancelled', ended_at = now()`);
    const damage = { table: 'plays', part: '202608_1_1_0', problem: 'cut', found_at: new Date().toISOString() };
    await recordDamage(system.postgres, { projection: 'coffee', generation: 1 }, [damage]);
    const second = await system.request('POST', '/projections/coffee/replay', requested);
    expect(second.status).to.equal(409);
    expect(second.body).to.have.property(
      'message',
      'coffee cannot be replayed from facts: live tables are damaged: plays. Replay it from the log.',
    );
  });

  it('rejects facts of a projection that derives no rows', async () => {
    await registerProjection(system.postgres, 'jobs', 1);
    const { status, body } = await system.request('POST', '/projections/jobs/replay', { source: 'facts' });
    expect(status).to.equal(409);
    expect(body).to.have.property(
      'message',
      'jobs cannot be replayed from facts: jobs derives no rows from facts. Replay it from the log.',
    );
  });
});

describe('the source of a replay', () => {
  const coffee = allProjections.find((projection) => projection.name === 'coffee')!;
  const live = { version: 3, damage: [], incompleteTables: [], lostEvents: [] };
  const at = (versions: Pick<ProjectionDeclaration, 'version' | 'factsVersion'>): ProjectionDeclaration => ({
    ...coffee,
    ...versions,
  });
  const lost = { repaired_at: '2026-11-01T00:00:00.000Z', rows: {} };

  it('is the stored facts if only the derivation changed since the live generation was built', () => {
    expect(chooseReplaySource(at({ version: 5, factsVersion: 3 }), live)).to.deep.equal({
      source: 'facts',
      reason: 'only the derivation of rows changed since version 3',
    });
  });

  for (const [about, versions, generation] of [
    ['nothing changed', { version: 3, factsVersion: 1 }, live],
    ['the facts changed too', { version: 5, factsVersion: 4 }, live],
    ['the version of the facts is not declared', { version: 5 }, live],
    ['tables are incomplete', { version: 5, factsVersion: 3 }, { ...live, incompleteTables: ['receipts'] }],
    ['the log lost events', { version: 5, factsVersion: 3 }, { ...live, lostEvents: [lost as never] }],
  ] as const)
    it(`is the log if ${about}`, () => {
      expect(chooseReplaySource(at(versions), generation).source).to.equal('log');
    });
});

describe('the list of replays', () => {
  let system: TestOps;
  before(async () => {
    system = await startTestOps();
  });
  after(() => system.close());

  it('has all replays, newest first, or those that have not ended', async () => {
    const { postgres } = system;
    for (const projection of ['coffee', 'uptime']) {
      await registerProjection(postgres, projection, 1);
      await planReplay(postgres, { projection, version: 1, verify: false });
    }
    await postgres.query(`UPDATE replays SET state = 'failed', ended_at = now() WHERE projection = 'coffee'`);
    const listed = async (query = '') => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      const response = await fetch(`${system.baseUrl}/ops/v1/replays${query}`, { headers });
      const { replays } = (await response.json()) as { readonly replays: readonly { readonly name: string }[] };
      return replays.map(({ name }) => name);
    };
    expect(await listed()).to.deep.equal(['uptime', 'coffee']);
    expect(await listed('?unfinished=true')).to.deep.equal(['uptime']);
  });
});
