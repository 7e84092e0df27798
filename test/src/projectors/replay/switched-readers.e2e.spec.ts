import { Sql, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { coffee } from '@popsvc/read-models/tables';
import { ensureAnalystViews, ensureSchema, repairAnalystViews } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { secretSealer } from '../../support/test-sealer.ts';
import { countLineEnds } from '@popsvc/tools/rig';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const rows = 300_000;

describe('readers of a generation that is switched', function () {
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

  /** A server may refuse the views for analysts; readers of reports are not affected. */
  describe("a switch on a server that refuses the analysts' views", () => {
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
        secretSealer,
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

  // The last one: it drops a table under the projection.
  describe('a running download', () => {
    it('completes after readers are switched and its tables are dropped', async () => {
      const { writer, reader } = system;
      await writer.run(
        `INSERT INTO ${coffee.name}_g1 (network_id, ts, number, event_id, version)
         SELECT 1, fromUnixTimestamp64Milli(toInt64(1786000000000 + number), 'UTC'), number, concat('a play whose id is long, ', toString(number)), 1
         FROM numbers(${rows})`,
      );
      const download = await reader.stream(
        new Sql(
          [`SELECT number, event_id FROM ${coffee.name}_live WHERE startsWith(event_id, 'a play whose id is long')`],
          [],
        ),
        'JSONEachRow',
      );
      let [lines, chunks] = [0, 0];
      for await (const chunk of download) {
        chunks += 1;
        if (chunks === 1) {
          await ensureSchema(
            writer,
            allProjections.map((projection) => ({ projection, generation: projection.name === 'coffee' ? 2 : 1 })),
          );
          await writer.run(`DROP TABLE ${coffee.name}_g1`);
        }
        lines += countLineEnds(chunk as Buffer);
      }
      expect(chunks).to.be.greaterThan(10);
      expect(lines).to.equal(rows);
      expect(await reader.rows(new Sql([`SELECT count() AS rows FROM ${coffee.name}_live`], []))).to.deep.equal([
        { rows: 0 },
      ]);
    });
  });
});
