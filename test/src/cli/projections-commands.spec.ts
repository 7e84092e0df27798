import { joinMember, registerProjection, removeMember } from '@popsvc/platform/postgres';
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

describe('popsvc projections forget', () => {
  let system: TestOps;
  let popsvc: ReturnType<typeof popsvcFor>;
  before(async () => {
    system = await startTestOps();
    popsvc = popsvcFor(system);
    for (const name of ['coffee', 'coffee@1of2', 'coffee@2of2']) await registerProjection(system.postgres, name, 1);
  });
  after(() => system.close());

  const storedNames = async () =>
    (await system.postgres.query('SELECT projection FROM read_models ORDER BY projection')).rows.map(
      ({ projection }) => projection as string,
    );

  it('lists what PostgreSQL stores for a former number of shards, and removes nothing', async () => {
    const { code, stdout } = await popsvc('projections', 'forget', '2');
    expect([code, stdout.split('\n')]).to.deep.equal([
      0,
      [
        'Set of 2 shards: coffee@1of2, coffee@2of2',
        'TABLE        ROWS',
        'generations  2',
        'read_models  2',
        '',
        'Nothing was removed. Repeat the command with --confirm to remove these rows.',
        '',
      ],
    ]);
    expect(await storedNames()).to.have.length(3);
  });

  it('refuses a set that processes run', async () => {
    await joinMember(system.postgres, { member: 'former', shards: 2 });
    const listed = await popsvc('projections', 'forget', '2');
    expect([listed.code, listed.stdout.trimEnd().split('\n').at(-1)]).to.deep.equal([
      0,
      'It cannot be removed: former runs its projections.',
    ]);
    const { code, stderr } = await popsvc('projections', 'forget', '2', '--confirm');
    expect([code, stderr]).to.deep.equal([
      1,
      'popsvc: These processes run the projections of 2 shards: former. Stop them first.\n',
    ]);
    await removeMember(system.postgres, 'former');
    expect(await storedNames()).to.have.length(3);
  });

  it('refuses the set of the operations server, and one that is not stored', async () => {
    const own = await popsvc('projections', 'forget', '1', '--confirm');
    expect([own.code, own.stderr]).to.deep.equal([
      1,
      'popsvc: The projections of 1 shard are those of this operations server.\n',
    ]);
    const { code, stderr } = await popsvc('projections', 'forget', '5');
    expect([code, stderr]).to.deep.equal([1, 'popsvc: There is no former set of 5 shards.\n']);
  });

  it('removes the rows with --confirm', async () => {
    const { code, stdout } = await popsvc('projections', 'forget', '2', '--confirm', '--json');
    expect([code, JSON.parse(stdout)]).to.deep.equal([
      0,
      {
        shards: 2,
        projections: ['coffee@1of2', 'coffee@2of2'],
        used_by: [],
        rows: [
          { table: 'generations', rows: 2 },
          { table: 'read_models', rows: 2 },
        ],
      },
    ]);
    expect(await storedNames()).to.deep.equal(['coffee']);
  });
});
