import { planRollback, readGenerations, readReplays } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { runStateAfter } from '@popsvc/projectors/engine';
import { runReplay } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations, retryFailedReplays, planReplaysOfUnreadable } from '@popsvc/read-models/generations';
import { coffee as coffeeTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';

const log = createLog('test', 'silent');
const uptimeProjection = allProjections.find(({ name }) => name === 'uptime')!;

describe('an upgrade', function () {
  let system: TestServices;
  let key: string;
  const started = () => openGenerations({ ...system, postgres: system.postgres, log }, allProjections);
  const request = (path: string) => fetch(`${system.queryUrl}${path}`, { headers: { 'x-api-key': key } });
  const replayParts = () => ({
    ...system.parts,
    postgres: system.postgres,
    projections: allProjections,
    keepMs: 3_600_000,
  });
  const coffee = '/api/v1/coffee?from=2026-08-20&to=2026-08-21';
  const uptime = '/api/v1/device-apps/4/player/uptime?from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
  const progressOf = (name: string) =>
    system.writer.rows<{ generation: number; at: string; tables_id: string }>(
      `SELECT generation, concat(toString(pos), ' ', toString(as_of)) AS at, tables_id FROM progress_live WHERE projection = '${name}'`,
    );

  before(async () => {
    system = await startTestServices();
    expect((await started()).flatMap(({ incompleteTables = [] }) => incompleteTables)).to.deep.equal([]);
    await system.register(smallRegistry);
    await system.play({ eventId: 'one' });
    await system.heartbeat({ deviceId: 4, at: '2026-08-20T10:00:00.000Z' });
    await system.interval({ startedAt: '2026-08-20T14:00:00.000Z', endedAt: '2026-08-20T15:00:00.000Z' });
    await system.project();
    key = await system.apiKey();
  });
  after(() => system.close());

  it('answers reports with 503, and is not ready, while the projectors are still the older release', async () => {
    const columns = [...Object.keys(coffeeTable.materialized), 'mood']
      .map((column) => `DROP COLUMN ${column}`)
      .join(', ');
    await system.writer.run(`ALTER TABLE coffee_g1 ${columns} SETTINGS mutations_sync = 2`);
    await system.writer.run('CREATE OR REPLACE VIEW coffee_live AS SELECT * FROM coffee_g1 FINAL');
    await system.writer.run('DROP DICTIONARY dict_sites');
    const refused = await request(coffee);
    expect(refused.headers.get('retry-after')).to.equal('5');
    await expectRefused(refused, 503, 'UNAVAILABLE');
    const ready = await expectRefused(await request('/readyz'), 503, 'UNAVAILABLE', 'schema');
    expect(ready.error.details[0]!.message).to.equal('the projectors have not created coffee.mood yet');
    await started();
    await waitUntil(
      async () => (await request(coffee)).status,
      (status) => status === 200,
    );
    const now = (await (await request('/readyz')).json()) as { checks: object };
    expect(now.checks).to.deep.equal({ clickhouse: 'ok', postgresql: 'ok', schema: 'ok', 'read-models': 'ok' });
  });

  it('answers downloads with 503 while a dictionary is missing', async () => {
    await system.writer.run('DROP DICTIONARY dict_sites');
    const refused = await request(coffee.replace('?', '/download?'));
    await started();
    await expectRefused(refused, 503, 'UNAVAILABLE');
  });

  describe('with a new table of a projection', () => {
    const before: Record<string, unknown> = {};

    it('keeps the other tables readable, and answers requests for the new table with 503', async () => {
      before['uptime'] = (await progressOf('uptime'))[0]!.at;
      const [heartbeatsBefore] = await system.writer.rows<{ rows: string }>(
        'SELECT count() AS rows FROM heartbeats_live',
      );
      await system.postgres.query("UPDATE generations SET version = 0 WHERE projection = 'uptime'");
      await system.writer.run('DROP TABLE intervals_g1 SYNC');
      // The table never existed, so no list contains its parts.
      await system.postgres.query("DELETE FROM table_parts WHERE table_name = 'intervals_g1'");
      const live = await started();
      expect(live.find(({ projection }) => projection.name === 'uptime')?.incompleteTables).to.deep.equal([
        'intervals',
      ]);
      expect((await progressOf('uptime'))[0]!.at).to.equal(before['uptime']);
      expect(await system.writer.rows('SELECT count() AS rows FROM heartbeats_live')).to.deep.equal([heartbeatsBefore]);

      const refused = await waitUntil(
        () => request(uptime),
        ({ status }) => status !== 200,
      );
      expect(refused.headers.get('retry-after')).to.equal('60');
      await expectRefused(refused, 503, 'UNAVAILABLE');
      expect((await request(coffee)).status).to.equal(200);
    });

    it('continues to be projected after further starts', async () => {
      await system.heartbeat({ deviceId: 4, at: '2026-08-20T11:00:00.000Z' });
      await system.project();
      const live = await started();
      expect(live.find(({ projection }) => projection.name === 'uptime')?.incompleteTables).to.deep.equal([
        'intervals',
      ]);
      expect((await progressOf('uptime'))[0]!.at > String(before['uptime'])).to.equal(true);
    });

    it('plans failed replays again with growing delays, and cancelled ones never', async () => {
      const { postgres } = system;
      await planReplaysOfUnreadable(postgres, await started(), log);
      const ended = async (state: 'failed' | 'cancelled') => {
        await postgres.query("UPDATE generations SET state = 'dropping' WHERE state = 'building'");
        await postgres.query('UPDATE replays SET state = $1, ended_at = now() WHERE ended_at IS NULL', [state]);
      };
      const after = async (minutes: number) => {
        const clock = { now: () => Date.now() + minutes * 60_000 };
        await retryFailedReplays({ postgres, projections: allProjections, log, clock });
        return (await readReplays(postgres, 10)).map(({ state }) => state).join(' ');
      };
      expect(await after(1_000)).to.equal('planned');
      await ended('failed');
      expect(await after(4)).to.equal('failed');
      expect(await after(6)).to.equal('planned failed');
      await ended('failed');
      expect(await after(9)).to.equal('failed failed');
      expect(await after(11)).to.equal('planned failed failed');
      await ended('cancelled');
      expect(await after(100_000)).to.equal('cancelled failed failed');
      await postgres.query('DELETE FROM replays');
    });

    it('plans a replay, after which every request is answered', async () => {
      const live = await started();
      await planReplaysOfUnreadable(system.postgres, live, log);
      await planReplaysOfUnreadable(system.postgres, live, log);
      const replays = await readReplays(system.postgres, 10);
      expect(replays.map(({ projection }) => projection)).to.deep.equal(['uptime']);
      await runReplay(replayParts(), replays[0]!, uptimeProjection, new AbortController().signal);
      expect(await readReplays(system.postgres, 1)).to.have.nested.property('[0].state', 'done');
      const answer = await waitUntil(
        () => request(uptime),
        ({ status }) => status === 200,
      );
      const { data } = (await answer.json()) as { data: { summary: { running_seconds: number } } };
      expect(data.summary.running_seconds).to.equal(3_600);
      expect((await started()).flatMap(({ incompleteTables = [] }) => incompleteTables)).to.deep.equal([]);
      expect(await readReplays(system.postgres, 10)).to.have.length(1);
    });

    it('answers requests for the new table with 503 again after a rollback', async () => {
      const planned = await planRollback(system.postgres, 'uptime');
      if (typeof planned === 'string') throw new Error(planned);
      // The missing table must be recorded before readers see the older generation.
      const unrecorded: string[] = [];
      const watched = {
        ...system.writer,
        async run(...statement: Parameters<typeof system.writer.run>) {
          await system.writer.run(...statement);
          const [{ generation } = { generation: 0 }] = await progressOf('uptime');
          const missing = await system.writer.rows<{ name: string }>('SELECT name FROM incomplete_live');
          if (generation === planned.to && !missing.some(({ name }) => name === 'intervals'))
            unrecorded.push(statement[0].slice(0, 80));
        },
      };
      const parts = { ...replayParts(), writer: watched };
      await runReplay(parts, planned, uptimeProjection, new AbortController().signal);
      expect(unrecorded).to.deep.equal([]);
      const refused = await waitUntil(
        () => request(uptime),
        ({ status }) => status !== 200,
      );
      await expectRefused(refused, 503, 'UNAVAILABLE');
    });
  });

  it('takes a missing table of the same version for damage, and plans a replay', async () => {
    const before = await progressOf('jobs');
    await system.writer.run('DROP TABLE bulk_jobs_g1 SYNC');
    const live = await started();
    const damage = live.find(({ projection }) => projection.name === 'jobs')?.damage ?? [];
    expect(damage.map(({ table, part, problem }) => ({ table, part, problem }))).to.deep.equal([
      { table: 'bulk_jobs', part: null, problem: 'the table is missing' },
    ]);
    const refused: unknown = await system.projectOne('jobs').catch((error: unknown) => error);
    expect(runStateAfter({ error: refused }).state).to.equal('damaged');
    await planReplaysOfUnreadable(system.postgres, live, log);
    const [replay] = await readReplays(system.postgres, 1);
    expect(replay).to.include({ projection: 'jobs', state: 'planned', verify: false });
    const jobs = allProjections.find(({ name }) => name === 'jobs')!;
    await runReplay(replayParts(), replay!, jobs, new AbortController().signal);
    const [after] = await progressOf('jobs');
    expect(after!.generation).to.equal(before[0]!.generation + 1);
    const unreadable = await system.writer.rows(`SELECT name FROM incomplete_live`);
    expect(unreadable, 'only the former table').to.deep.equal([{ name: 'bulk_jobs_g1' }]);
    expect(await planRollback(system.postgres, 'jobs'), 'no rollback to damaged tables').to.equal('none');
    const damaged = (await readGenerations(system.postgres)).find(
      ({ projection, state }) => projection === 'jobs' && state === 'kept',
    );
    expect(damaged!.dropAfter!.getTime()).to.be.at.most(Date.now());
    await system.postgres.query('DELETE FROM replays');
  });
});
