import { allChecks, type DiagnosticsDependencies, reportFleet } from '@popsvc/ops-api/server';
import { EventStoreUnavailable, openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { createStatusRegistry } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import {
  describeProblems,
  type DiagnosedSystem,
  startDiagnosedSystem,
  startSilentServer,
  withOnlyShard,
} from './diagnostics.fixture.ts';

const log = createLog('test', 'silent');

describe('the diagnostics of the stores', function () {
  let system: DiagnosedSystem;
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  before(async () => {
    system = await startDiagnosedSystem();
    silent = await startSilentServer();
    await system.appendProbe(0);
  });
  after(async () => {
    silent.close();
    await system.close();
  });

  it('report no problem of a healthy service', async () => {
    const found = await system.diagnose();
    expect(describeProblems(found)).to.deep.equal([]);
    expect(Object.keys(found)).to.include.members(['event-store', 'clickhouse', 'postgresql', 'nats', 'clocks']);
    expect(found['clocks']!.found).to.include('postgresql, clickhouse, event store');
  });

  it('evaluate every check but that of the overview', async () => {
    const services = [{ name: 'query-api', url: 'http://127.0.0.1:1', variable: 'QUERY_API_URL' }];
    const findings = Object.values(await system.diagnose({ services }));
    // The operations server adds those of the fleet.
    const found = [...findings, ...reportFleet({ dark: [], silent: [] })].map(({ check }) => check);
    expect([...new Set(found), 'refusals']).to.have.members(allChecks.map(({ name }) => name));
  });

  const withClickHouse = async (url: string, password: string, overrides: Partial<DiagnosticsDependencies> = {}) => {
    const login = { username: system.engine.writer.username, password };
    const [writer, reader] = [openClickHouseWriter({ url, ...login }), openClickHouseReader({ url, ...login })];
    const found = await system.diagnose({ ...withOnlyShard(writer, reader), ...overrides });
    await Promise.allSettled([writer.close(), reader.close()]);
    return found;
  };

  it('distinguish an unreachable ClickHouse from one that refuses the login, and skip checks that need it', async () => {
    const down = await withClickHouse('http://127.0.0.1:1/popsvc', 'x');
    expect(down['clickhouse']).to.include({ outcome: 'failed' });
    expect(down['clickhouse']!.found).to.match(/^cannot be reached: .*ECONNREFUSED/);
    expect(down['clickhouse']!.advice).to.include('CLICKHOUSE_URL');
    expect(down['schema']).to.include({ outcome: 'skipped' });
    expect(down['postgresql']).to.include({ outcome: 'ok' });
    expect(down['projection coffee']).to.include({ outcome: 'ok' });

    const refused = await withClickHouse(system.clickhouseUrl, 'a-wrong-password');
    expect(refused['clickhouse']!.found).to.match(/^answers and refuses the login/);
    expect(refused['clickhouse']!.advice).to.include('CLICKHOUSE_PASSWORD');
    expect(JSON.stringify(refused)).to.not.include('a-wrong-password');

    const missing = await withClickHouse(`${system.engine.url}/popsvc_test_nowhere`, system.engine.writer.password);
    expect(missing['clickhouse']!.found).to.include('the database of the service is missing');
  });

  it('name a ClickHouse whose database belongs to another shard', async () => {
    const { writer, reader, engine } = system;
    const listed = openClickHouseWriter({ url: system.clickhouseUrl, ...engine.writer, shard: { index: 1, of: 2 } });
    const found = await system.diagnose(withOnlyShard(listed, reader));
    await listed.close();
    expect(found['clickhouse of shard 2 of 2']).to.include({ outcome: 'failed', problem: 'wrong-shard' });
    expect(found['clickhouse of shard 2 of 2']!.found).to.match(
      new RegExp(`^database ${writer.database} on .* is shard 1 of 1, and CLICKHOUSE_URL lists it as shard 2 of 2`),
    );
    expect(found['clickhouse of shard 2 of 2']!.advice).to.include('in the order of their first start');
    expect(found['schema of shard 2 of 2']).to.include({ outcome: 'skipped' });
  });

  it('distinguish the same for PostgreSQL, and then report the projections of this process from memory', async () => {
    const withPostgres = async (change: (url: URL) => void) => {
      const url = new URL(system.databaseUrl);
      change(url);
      const postgres = openPostgres({ url: url.href, log, name: 'test' });
      const registry = createStatusRegistry();
      const listed = { name: 'coffee', generation: 1, streams: [], isNeeded: true } as const;
      registry.register(listed);
      registry.setRunState(listed, { state: 'failing', error: 'PostgreSQL is down' });
      const found = await system.diagnose({ postgres, listRunningProjections: () => registry.statuses });
      await postgres.end();
      return found;
    };
    const down = await withPostgres((url) => (url.port = '1'));
    expect(down['postgresql']!.found).to.match(/^cannot be reached: .*ECONNREFUSED/);
    expect(down['migrations']).to.include({ outcome: 'skipped' });
    expect(down['projection coffee']!.found).to.include('failing').and.to.include('PostgreSQL is down');

    const refused = await withPostgres((url) => (url.password = 'a-wrong-password'));
    expect(refused['postgresql']!.found).to.match(/^answers and refuses the login/);
    expect(JSON.stringify(refused)).to.not.include('a-wrong-password');

    const missing = await withPostgres((url) => (url.pathname = '/nowhere'));
    expect(missing['postgresql']!.found).to.include('the database of the service is missing');
  });

  it('report stores that hang within the timeout, and check the others meanwhile', async () => {
    const at = `127.0.0.1:${silent.port}`;
    const checkTimeoutMs = 5_000;
    const postgres = openPostgres({ url: `postgres://a:b@${at}/c`, log, name: 'test' });
    const store = openEventStore({ url: `esdb://${at}?tls=false` });
    const [found, ofClickHouse] = await Promise.all([
      system.diagnose({ postgres, store, checkTimeoutMs }),
      withClickHouse(`http://${at}/popsvc`, 'x', { checkTimeoutMs }),
    ]);
    for (const engine of ['postgresql', 'event-store']) expect(found[engine], engine).to.include({ outcome: 'failed' });
    expect(found['clickhouse']).to.include({ outcome: 'ok' });
    expect(ofClickHouse['clickhouse']).to.include({ outcome: 'failed' });
    expect(ofClickHouse['postgresql']).to.include({ outcome: 'ok' });
    await Promise.allSettled([postgres.end(), store.close()]);
  });

  it('name the rights that the login of the event store lacks, and the command that grants them', async () => {
    const findMissingRights = () => Promise.resolve(['read-all', 'append'] as const);
    const found = await system.diagnose({ store: { ...system.store, findMissingRights } });
    expect(found['event-store']).to.include({
      outcome: 'failed',
      problem: 'rights-missing',
      found: 'answers; the login may not read $all or append to streams',
    });
    expect(found['event-store']!.advice).to.include('popsvc eventstore grant');
  });

  it('distinguish an event store without a leader from one that is unreachable', async () => {
    const failure = new EventStoreUnavailable('the event store has no leader', { reason: 'no-leader' });
    const findMissingRights = () => Promise.reject(failure);
    const found = await system.diagnose({ store: { ...system.store, findMissingRights } });
    expect(found['event-store']).to.include({ outcome: 'failed', problem: 'no-leader' });
    expect(found['event-store']!.advice).to.include('elects a leader');
  });

  it('report that the event store is down, and that it answers again', async () => {
    await system.node.stop();
    const down = await system.diagnose();
    expect(down['event-store']!.found).to.match(/^cannot be reached/);
    expect(down['event-store']!.advice).to.include('EVENTSTORE_URL');
    expect(down['clocks']).to.include({ outcome: 'ok', found: 'agree within 2 s: postgresql, clickhouse' });
    await system.node.restart();
    expect((await system.diagnose())['event-store']).to.include({ outcome: 'ok' });
  });
});
