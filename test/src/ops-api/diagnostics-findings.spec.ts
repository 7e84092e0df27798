import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { rotateSigningKey } from '@popsvc/http-kit/auth/tokens';
import {
  createLeaseStore,
  createSecretSealer,
  forgetProjectionSet,
  insertWebhook,
  joinMember,
  pauseProjection,
  recordDamage,
  recordHealing,
  registerProjection,
  removeMember,
  replaceSigningKey,
  writeProjectionStatuses,
} from '@popsvc/platform/postgres';
import { markRunVerified } from '@popsvc/read-models/generations';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { secretSealer } from '../support/test-sealer.ts';
import { describeProblems, type DiagnosedSystem, startDiagnosedSystem } from './diagnostics.fixture.ts';

describe('the diagnostics of the service', function () {
  let system: DiagnosedSystem;
  before(async () => {
    system = await startDiagnosedSystem();
    await system.appendProbe(0);
  });
  after(() => system.close());

  const findingOf = async (title: string) => (await system.diagnose())[title]!;
  const run = (sql: string) => system.writer.run(sql);

  it('report changes of the schema by table and column', async () => {
    await run('DROP VIEW coffee_live');
    await run('ALTER TABLE plays_g1 MODIFY COLUMN duration_ms UInt32');
    await run('ALTER TABLE coffee_g1 DROP COLUMN screen_id');
    await run('ALTER TABLE receipts_g1 MODIFY SETTING fsync_after_insert = 0');
    await run('DROP TABLE watcher_summary_g1');
    await run('DROP DICTIONARY dict_sites');
    const { outcome, found, advice } = await findingOf('schema');
    expect(outcome).to.equal('failed');
    for (const drift of [
      'view coffee_live is missing',
      'plays_g1: column duration_ms is UInt32, should be UInt64',
      'coffee_g1: column screen_id is missing',
      'receipts_g1: setting fsync_after_insert is 0, should be 1',
      'table watcher_summary_g1 is missing',
      'dictionary dict_sites is missing',
    ])
      expect(found).to.include(drift);
    expect(advice).to.include('Restart the projectors');
  });

  it('name the projections of a former number of shards, and the command that removes them', async () => {
    const names = ['coffee@1of2', 'coffee@2of2'];
    for (const name of names) await registerProjection(system.postgres, name, 1);
    await writeProjectionStatuses(
      system.postgres,
      names.map((projection) => ({
        projection,
        generation: 1,
        state: 'running',
        error: undefined,
        owner: 'x',
        asOfMs: 1,
      })),
    );
    await joinMember(system.postgres, { member: 'former', shards: 2 });
    expect(await findingOf('projection set of 2 shards')).to.include({ outcome: 'ok', found: 'run by former' });
    await removeMember(system.postgres, 'former');
    const { outcome, found, advice } = await findingOf('projection set of 2 shards');
    expect({ outcome, found }).to.deep.equal({
      outcome: 'warning',
      found: 'no process runs coffee@1of2, coffee@2of2',
    });
    expect(advice).to.include('popsvc projections forget 2 --confirm');
    expect(Object.keys(await system.diagnose())).to.not.include('projection coffee@1of2');
    await forgetProjectionSet(system.postgres, 2);
    expect(Object.keys(await system.diagnose())).to.not.include('projection set of 2 shards');
  });

  it('report tables of a generation that PostgreSQL does not know, with the statements that drop them', async () => {
    expect((await findingOf('generations')).outcome).to.equal('ok');
    for (const name of ['plays_g7', 'plays_g1_at_3']) await run(`CREATE TABLE ${name} AS plays_g1`);
    const { outcome, found, advice } = await findingOf('generations');
    expect({ outcome, found }).to.deep.equal({
      outcome: 'warning',
      found: 'PostgreSQL does not know plays_g1_at_3, plays_g7',
    });
    const statements = [...advice!.matchAll(/DROP TABLE [^;]+/g)].map(([statement]) => statement);
    expect(statements).to.have.length(2);
    for (const statement of statements) await run(statement);
    expect((await findingOf('generations')).outcome).to.equal('ok');
  });

  it('report a partition in too many parts', async () => {
    await run('CREATE TABLE many (n UInt64) ENGINE = MergeTree ORDER BY n');
    await run('SYSTEM STOP MERGES many');
    await run(
      'INSERT INTO many SELECT number FROM numbers(310) SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, min_insert_block_size_bytes = 1, max_insert_threads = 1',
    );
    expect(await findingOf('clickhouse-parts')).to.include({
      outcome: 'warning',
      found: 'many has 310 parts in one partition',
    });
    await run('DROP TABLE many');
  });

  it('report missing migrations and those of a newer release', async () => {
    const { postgres } = system;
    await postgres.query("INSERT INTO schema_migrations (name) VALUES ('9999-later')");
    expect(await findingOf('migrations')).to.include({
      outcome: 'warning',
      found: 'applied by a newer release: 9999-later',
    });
    await postgres.query("DELETE FROM schema_migrations WHERE name = '9999-later' OR name = '0001-baseline'");
    expect(await findingOf('migrations')).to.include({ outcome: 'failed', found: 'missing: 0001-baseline' });
  });

  it('report damaged tables, and tables that were not verified since ClickHouse started', async () => {
    const { postgres, writer } = system;
    expect(await findingOf('read-models')).to.include({ outcome: 'ok' });
    const damage = { table: 'coffee', part: '202608_1_1_0', problem: 'it is not among the active parts' };
    const key = { projection: 'coffee', generation: 1 };
    expect(await recordDamage(postgres, key, [{ ...damage, found_at: new Date().toISOString() }])).to.have.length(1);
    expect(await recordDamage(postgres, key, [{ ...damage, found_at: new Date().toISOString() }])).to.have.length(0);
    expect(await findingOf('read-models coffee')).to.include({
      outcome: 'failed',
      problem: 'damaged',
      found: 'damage in 1 of the tables of generation 1: part 202608_1_1_0 of coffee: it is not among the active parts',
    });
    await postgres.query("UPDATE generations SET damage = '[]'");
    const [fromMs, toMs] = [Date.parse('2026-08-22T14:00:00Z'), Date.parse('2026-08-22T15:00:00Z')];
    await recordHealing(postgres, key, [{ ...damage, found_at: new Date().toISOString(), fromMs, toMs }]);
    expect(await findingOf('read-models coffee')).to.include({
      outcome: 'failed',
      problem: 'lost-rows',
      found:
        'lost rows of generation 1: part 202608_1_1_0 of coffee: it is not among the active parts; ' +
        'rows from 2026-08-22T14:00:00.000Z to 2026-08-22T15:00:00.000Z are derived again',
    });
    await postgres.query("UPDATE generations SET healing = '[]'");
    await writer.run('TRUNCATE TABLE verified_runs');
    expect(await findingOf('read-models')).to.include({
      outcome: 'failed',
      found: 'the tables were not verified since ClickHouse started; reports are refused',
    });
    await markRunVerified(writer);
  });

  it('describe many missing tables once, with the advice for tables that only a replay repairs', async () => {
    const { postgres } = system;
    const damage = ['sites', 'devices', 'screens', 'feeders'].map((table) => {
      return { table, part: null, problem: 'the table is missing', found_at: '2026-08-22T14:00:00.000Z' };
    });
    await recordDamage(postgres, { projection: 'registry', generation: 1 }, damage);
    const found = await findingOf('read-models registry');
    expect(found).to.include({
      found: 'damage in 4 of the tables of generation 1: sites, devices, screens, and 1 more: the table is missing',
      since: '2026-08-22T14:00:00.000Z',
    });
    expect(found.advice)
      .to.match(/^A replay rebuilds the tables/)
      .and.not.include('facts');
    await postgres.query("UPDATE generations SET damage = '[]'");
  });

  it('ignore the report of a process that lost its lease', async () => {
    const { postgres } = system;
    const leases = createLeaseStore(postgres);
    await system.reportAllRunning();
    const key = { projection: 'uptime', generation: 1 };
    const epoch = (await leases.acquire(key, 'successor', 60_000))!;
    const failing = { ...key, state: 'failing', error: 'gone', asOfMs: Date.now() };
    await writeProjectionStatuses(postgres, [{ ...failing, owner: 'test' }]);
    expect(await findingOf('projection uptime')).to.include({ outcome: 'ok' });
    await writeProjectionStatuses(postgres, [{ ...failing, owner: 'successor' }]);
    expect(await findingOf('projection uptime')).to.include({ outcome: 'failed' });
    await leases.release(key, epoch);
  });

  it('name a partition that no process runs', async () => {
    const { postgres } = system;
    await system.reportAllRunning();
    await postgres.query('INSERT INTO partitioning (partitions) VALUES (2)');
    expect(await findingOf('projection coffee')).to.include({
      outcome: 'failed',
      found: 'partition 1 of 2: no process runs it',
    });
    expect(await findingOf('projection registry')).to.include({ outcome: 'ok' });
    await postgres.query('DELETE FROM partitioning');
  });

  it('report projections that are paused, failing, stopped, lagging, outdated or have parked events', async () => {
    const { postgres } = system;
    const now = Date.now();
    const writeStatus = (projection: string, state: string, asOfMs: number, error?: string) =>
      writeProjectionStatuses(postgres, [{ projection, generation: 1, state, error, owner: 'test', asOfMs }]);
    await system.reportAllRunning();
    await pauseProjection(postgres, 'jobs', true);
    await writeStatus('uptime', 'failing', now, 'ClickHouse is down');
    await writeStatus('coffee', 'running', now - 120_000);
    await writeStatus('status', 'running', now - 3_600_000);
    await postgres.query("UPDATE generations SET version = 0 WHERE projection = 'registry'");
    await postgres.query("DELETE FROM projection_status WHERE projection = 'watcher-summary'");
    const found = await system.diagnose();
    // On a loaded machine, some seconds pass before the checks.
    const roundLag = (text = '') =>
      text.replace(/(\d+) s behind/, (_, lag) => `${Math.floor(Number(lag) / 60)} min behind`);
    const problemOf = (name: string) => {
      const finding = found[`projection ${name}`];
      return [finding?.outcome, roundLag(finding?.found)];
    };
    expect(problemOf('jobs')).to.deep.equal(['warning', 'paused by an operator, 0 min behind']);
    expect(problemOf('uptime')).to.deep.equal(['failed', 'failing, 0 min behind: ClickHouse is down']);
    expect(problemOf('coffee')).to.deep.equal(['warning', '2 min behind']);
    expect(problemOf('status')).to.deep.equal(['failed', '60 min behind']);
    expect(problemOf('registry')).to.deep.equal([
      'warning',
      'generation 1 was built by an older version of this projection',
    ]);
    expect(found['projection registry']!.advice).to.include('popsvc projections replay registry');
    expect(problemOf('watcher-summary')).to.deep.equal(['failed', 'no process runs it']);

    await writeStatus('uptime', 'rebuild-needed', Date.now(), 'projected from another log');
    expect(await findingOf('projection uptime')).to.include({
      found: 'failing, 0 s behind: projected from another log',
      advice:
        'First find out why its log is another one (guide "Repair and restore", section "Older copies"). ' +
        'If the log was replaced or restored, `popsvc projections replay uptime` rebuilds it.',
    });

    await postgres.query(`INSERT INTO parked_events (projection, generation, sequence, stream, type, error, raw)
       VALUES ('coffee', 1, 7, 'pop-1.acme.20260820', 'PlaysRecorded', 'no such thing', '{}')`);
    expect(await findingOf('projection coffee')).to.include({
      outcome: 'failed',
      found: '1 event of generation 1 is parked',
    });
  });

  it('report networks that exceed their share, and those without budget', async () => {
    expect((await findingOf('shares')).outcome).to.equal('ok');
    await run(`INSERT INTO coffee_pending_g1 (network_id, screen_id, from_at, to_at, cause, as_of, version)
       VALUES (1, 'screen-1', now(), now(), 'facts', now(), 2), (1, 'screen-2', now(), now(), 'facts', now(), 2)`);
    expect(await findingOf('shares network 1')).to.include({
      outcome: 'warning',
      found: '2 ranges of coffee are derived later than those of other networks',
    });
    await system.postgres.query(`INSERT INTO derived_rows (network, day, rows, waiting_since)
       VALUES (1, (now() AT TIME ZONE 'UTC')::date, 5000, now())`);
    expect(await findingOf('shares network 1')).to.include({
      outcome: 'warning',
      found: '5000 rows derived today, which is its daily budget',
    });
    await run(`INSERT INTO coffee_pending_g1 (network_id, last_network, from_at, to_at, cause, as_of, version)
       VALUES (2, 4, now(), now(), 'replay', now(), 2)`);
    expect(await findingOf('shares networks 2 to 4')).to.include({
      outcome: 'warning',
      found: '1 ranges of coffee are derived later than those of other networks',
    });
  });

  it('report failed and stuck bulk jobs, and a growing quarantine', async () => {
    await run(`INSERT INTO bulk_jobs_g1 (job_id, part, pos, recorded_at, status, reason)
       VALUES ('job-1', 'ended', 5, now(), 'failed', 'the file is no CSV'), ('job-2', 'ended', 6, now(), 'completed', '')`);
    expect(await findingOf('bulk-jobs')).to.include({
      outcome: 'warning',
      found: '1 of 2 failed in the last 24 h; the latest: the file is no CSV',
    });
    await run(
      `INSERT INTO bulk_jobs_g1 (job_id, part, pos, recorded_at) VALUES ('job-3', 'queued', 7, now() - INTERVAL 20 MINUTE)`,
    );
    expect(await findingOf('bulk-jobs')).to.include({ outcome: 'warning', found: '1 made no progress for 15 minutes' });
    await run(`INSERT INTO quarantine_g1 (network_id, vendor, schema_version, pos, received_at, state, code)
       SELECT 1, 'acme', 'v2', number + 1, now() - INTERVAL 10 MINUTE, 'waiting', 'no_mapping' FROM numbers(3)`);
    expect(await findingOf('quarantine')).to.include({
      outcome: 'warning',
      found: '3 events wait, 3 received in the last hour; mostly no_mapping of acme v2',
    });
  });

  it('report a signing key that was not rotated in time', async () => {
    const next = { kid: 'k1', algorithm: 'EdDSA', publicJwk: {}, sealedPrivateJwk: '' };
    await replaceSigningKey(system.postgres, { seen: undefined, next, keepSeconds: 900 });
    expect(await findingOf('signing-key')).to.include({ outcome: 'ok', found: '0 days old' });
    await system.postgres.query("UPDATE signing_keys SET created_at = now() - interval '40 days'");
    expect((await findingOf('signing-key')).outcome).to.equal('warning');
  });

  it('report which secrets the encryption key does not open, and what to do', async () => {
    const { postgres } = system;
    await postgres.query('DELETE FROM signing_keys');
    expect(await findingOf('sealed-secrets')).to.include({
      outcome: 'ok',
      found: 'no signing key and 0 secrets of webhooks can be opened',
    });
    await rotateSigningKey(postgres, secretSealer);
    const webhook = { networkId: 1, types: ['job.finished'], secret: 'whsec_secret' } as const;
    await insertWebhook(postgres, secretSealer, { ...webhook, url: 'https://one.example' }, 10);
    expect(await findingOf('sealed-secrets')).to.include({
      outcome: 'ok',
      found: 'the signing key and 1 secrets of webhooks can be opened',
    });
    const other = createSecretSealer('another-key-of-at-least-32-characters');
    await insertWebhook(postgres, other, { ...webhook, url: 'https://two.example' }, 10);
    const { rows } = await postgres.query<{ id: string }>(
      "SELECT id FROM webhook_subscriptions WHERE url = 'https://two.example'",
    );
    const findings = await system.diagnose();
    expect(findings).to.not.have.any.keys('sealed-secrets', 'sealed-secrets signing-key');
    const webhooks = findings['sealed-secrets webhooks']!;
    expect(webhooks).to.include({ outcome: 'failed', problem: 'webhooks' });
    expect(webhooks.found).to.match(
      new RegExp(`^secrets of 1 subscriptions \\(${rows[0]!.id}\\): the encryption key differs`),
    );
    expect(webhooks.advice).to.include('POPSVC_ENCRYPTION_KEY').and.include('popsvc webhooks rotate');

    await rotateSigningKey(postgres, other);
    const key = await findingOf('sealed-secrets signing-key');
    expect(key).to.include({ outcome: 'failed', problem: 'signing-key' });
    expect(key.found).to.include('the encryption key differs').and.include('signing_keys');
    expect(key.advice).to.include('No access tokens are issued').and.include('popsvc signing-keys rotate');
    await postgres.query('DELETE FROM signing_keys');
    await postgres.query('DELETE FROM webhook_subscriptions');
  });

  it('report clocks that disagree: of this process and the stores, and of the event store and its writer', async () => {
    await system.appendProbe(5_000);
    const ahead = await findingOf('clocks');
    expect(ahead.outcome).to.equal('warning');
    // The time of the append counts too.
    const [, seconds] = /^against this process: event store (\d+\.\d) s ahead$/.exec(ahead.found) ?? [];
    expect(Number(seconds), ahead.found).to.be.at.least(5);
    await system.appendProbe(0);
    const clock = sinon.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'], shouldAdvanceTime: true });
    try {
      const { outcome, found } = await findingOf('clocks');
      expect(outcome).to.equal('failed');
      // On a busy machine, a store may read its clock long before or after the middle of the round trip.
      expect(found).to.match(/postgresql [56]\d\.\d s behind, clickhouse [56]\d\.\d s behind/);
    } finally {
      clock.restore();
    }
  });

  it('report services that are degraded, not ready or do not answer, and missing folders', async () => {
    const server = createServer((request, response) => {
      if (request.headers.host?.startsWith('localhost'))
        response.end(JSON.stringify({ message: 'degraded', checks: { clickhouse: 'ok', 'read-models': 'no coffee' } }));
      else response.writeHead(503).end(JSON.stringify({ message: 'Not ready: objects.' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const degradedUrl = `http://localhost:${port}`;
    const services = [
      { name: 'worker', url: degradedUrl, variable: 'WORKER_URL' },
      { name: 'command-api', url: `http://127.0.0.1:${port}`, variable: 'COMMAND_API_URL' },
      { name: 'query-api', url: 'http://127.0.0.1:1', variable: 'QUERY_API_URL' },
    ];
    const found = await system.diagnose({ services, folders: ['/nowhere'] });
    server.close();
    expect(found['service command-api']).to.include({ outcome: 'failed' });
    expect(found['service command-api']!.found).to.match(/: Not ready: objects\.$/);
    expect(found['service worker']).to.include({
      outcome: 'warning',
      found: `degraded at ${degradedUrl}: read-models: no coffee`,
    });
    expect(found['service query-api']!.advice).to.include('QUERY_API_URL');
    expect(found['disk of /nowhere']).to.include({ outcome: 'failed' });
  });

  it('report damage that the embedded event store found in its log', async () => {
    const dataDir = await temporaryFolder('scrubbed');
    const finding = async () => (await system.diagnose({ folders: [dataDir] }))['event-log']!;
    expect(await finding()).to.include({ outcome: 'ok' });
    await mkdir(join(dataDir, 'event-store'));
    let checkedMs = Date.now();
    const scrub = (damages: readonly object[]) => ({
      segments: [{ base: 0, bytes: 100, checkedMs, damages }],
      unchecked: 1,
    });
    const report = (damages: readonly object[]) =>
      writeFile(join(dataDir, 'event-store', 'scrub.json'), JSON.stringify(scrub(damages)));
    await report([]);
    expect((await finding()).found).to.equal(
      `1 of 2 segments checked, the oldest check at ${new Date(checkedMs).toISOString()}`,
    );
    checkedMs -= 4 * 86_400_000;
    await report([]);
    expect(await finding()).to.include({ outcome: 'warning' });
    await report([{ file: '/data/0.log', position: 64, what: 'no whole record before position 900' }]);
    const found = await finding();
    expect(found).to.include({
      outcome: 'failed',
      found: '/data/0.log, position 64: no whole record before position 900',
    });
    expect(found.advice).to.contain('popsvc log verify');
  });

  it('report a backup that failed, and a newest backup that is older than two days', async () => {
    const dataDir = await temporaryFolder('backed-up');
    const finding = async () => (await system.diagnose({ folders: [dataDir] }))['backup']!;
    expect(await finding()).to.include({ outcome: 'ok' });
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const record = (complete: object | null, failure: object | null) =>
      writeFile(join(dataDir, 'backup-record.json'), JSON.stringify({ complete, failure }));
    await record({ at: hoursAgo(47), folder: '/backups/1' }, null);
    expect(await finding()).to.include({ outcome: 'ok' });
    await record({ at: hoursAgo(49), folder: '/backups/1' }, null);
    expect(await finding()).to.include({ outcome: 'warning', problem: 'old' });
    await record({ at: hoursAgo(25), folder: '/backups/1' }, { at: hoursAgo(1), error: 'the disk is full' });
    const failed = await finding();
    expect(failed).to.include({ outcome: 'failed', problem: 'failed' });
    expect(failed.found).to.include('the disk is full').and.to.include('/backups/1');
  });

  it('name a full disk before the problems that it causes', async () => {
    const titles = Object.keys(await system.diagnose());
    const indexOf = (start: string) => titles.findIndex((title) => title.startsWith(start));
    expect(indexOf('disk')).to.be.within(0, indexOf('projection') - 1);
  });

  it('give advice for each problem, and only for problems', async () => {
    const found = await system.diagnose();
    expect(describeProblems(found).length).to.be.greaterThan(5);
    for (const [title, { outcome, advice }] of Object.entries(found))
      expect(advice === null, title).to.equal(outcome === 'ok' || outcome === 'skipped');
  });
});
