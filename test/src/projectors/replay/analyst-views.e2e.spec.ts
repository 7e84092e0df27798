import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { ensureAnalystViews, repairAnalystViews } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** A server may refuse the views for analysts; readers of reports are not affected. */
describe("a switch on a server that refuses the analysts' views", function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem();
    await ensureAnalystViews(
      system.writer,
      allProjections.map((projection) => ({ projection, generation: 1 })),
    );
    await system.appendRound(1);
    await system.waitUntilCaughtUp('uptime', [1]);
  });
  after(() => system.close());

  const refusing = (what: string): ClickHouseWriter => ({
    ...system.writer,
    run: (query, options) =>
      query.includes(what) ? Promise.reject(new Error(`no ${what}`)) : system.writer.run(query, options),
  });
  const parts = (writer = system.writer) => ({
    writer,
    postgres: system.postgres,
    projections: allProjections,
    log: system.parts.log,
  });
  const seen = async () => {
    const [row] = await system.writer.rows<{ text: string }>(
      `SELECT create_table_query AS text FROM system.tables WHERE database = currentDatabase() AND name = 'heartbeats_own'`,
    );
    return { table: /heartbeats_g\d+/.exec(row!.text)?.[0], isGuarded: row!.text.includes('currentUser()') };
  };
  const findFinding = async () => {
    const { store, writer, reader, postgres } = system;
    const findings = await runDiagnostics({
      store,
      shards: [{ writer, reader, declarations: allProjections }],
      postgres,
      listRunningProjections: () => [],
      requireSyncStandby: false,
      folders: [],
      services: [],
    });
    return findings.find(({ check }) => check === 'analyst-views');
  };

  it('succeeds, and analysts see the rows of the previous generation', async () => {
    expect(await findFinding()).to.include({ outcome: 'ok' });
    const given = { ...system.dependenciesOf('one'), writer: refusing('_own') };
    const replay = await system.runReplay(await system.plan('uptime'), given);
    expect(replay).to.include({ state: 'done', to: 2, error: null });
    const [row] = await system.writer.rows(`SELECT generation FROM progress_live WHERE projection = 'uptime'`);
    expect(row).to.deep.equal({ generation: 2 });
    expect(await seen()).to.deep.equal({ table: 'heartbeats_g1', isGuarded: true });
    expect(await findFinding()).to.include({
      outcome: 'warning',
      found: 'the views do not read generation 2 of uptime',
    });
  });

  it("updates the analysts' views once the server allows it", async () => {
    const error = await repairAnalystViews(parts(refusing('_own'))).catch(String);
    expect(error).to.equal('Error: no _own');
    expect(await repairAnalystViews(parts())).to.equal(true);
    expect(await seen()).to.deep.equal({ table: 'heartbeats_g2', isGuarded: true });
    expect(await findFinding()).to.include({ outcome: 'ok' });
    expect(await repairAnalystViews(parts())).to.equal(false);
  });

  it("updates the analysts' views at a start, too", async () => {
    const database = `analysts_${system.writer.database}`;
    await system.writer.run(`DROP DATABASE ${database}`);
    expect((await findFinding())!.found).to.match(/^plays, audience, .* missing$/);
    expect(await repairAnalystViews(parts(refusing('DEFINER'))).catch(String)).to.equal('Error: no DEFINER');
    expect(await repairAnalystViews(parts())).to.equal(true);
    expect(await findFinding()).to.include({ outcome: 'ok' });
  });
});
