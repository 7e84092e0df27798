import { openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { createStatusRegistry } from '@popsvc/projectors/projections/relay';
import { expect } from 'chai';
import { brokenOnes, type Patient, patient, silentServer } from './doctor.fixture.ts';

const log = createLog('test', 'silent');

describe('doctor, of engines', function () {
  this.timeout(60_000);
  let system: Patient;
  let silent: Awaited<ReturnType<typeof silentServer>>;
  before(async () => {
    system = await patient();
    silent = await silentServer();
    await system.probe(0);
  });
  after(async () => {
    silent.close();
    await system.close();
  });

  it('finds nothing where nothing is wrong', async () => {
    const found = await system.examined();
    expect(brokenOnes(found)).to.deep.equal([]);
    expect(Object.keys(found)).to.include.members(['event store', 'clickhouse', 'postgresql', 'nats', 'clocks']);
    expect(found['clocks']!.found).to.include('postgresql, clickhouse, event store');
  });

  const withClickHouse = async (url: string, password: string) => {
    const login = { username: system.engine.writer.username, password };
    const [writer, reader] = [openClickHouseWriter({ url, ...login }), openClickHouseReader({ url, ...login })];
    const found = await system.examined({ writer, reader });
    await Promise.allSettled([writer.close(), reader.close()]);
    return found;
  };

  it('tells a ClickHouse that cannot be reached from one that refuses the login, and asks it nothing more', async () => {
    const away = await withClickHouse('http://127.0.0.1:1/popsvc', 'x');
    expect(away['clickhouse']).to.include({ outcome: 'failed' });
    expect(away['clickhouse']!.found).to.match(/^clickhouse cannot be reached: .*ECONNREFUSED/);
    expect(away['clickhouse']!.advice).to.include('CLICKHOUSE_URL');
    expect(away['schema of clickhouse']).to.include({ outcome: 'skipped' });
    expect(away['postgresql']).to.include({ outcome: 'ok' });
    expect(away['projection coffee']).to.include({ outcome: 'ok' });

    const refused = await withClickHouse(system.clickhouseUrl, 'a-wrong-password');
    expect(refused['clickhouse']!.found).to.match(/^clickhouse answers and refuses our login/);
    expect(refused['clickhouse']!.advice).to.include('CLICKHOUSE_PASSWORD');
    expect(JSON.stringify(refused)).to.not.include('a-wrong-password');

    const missing = await withClickHouse(`${system.engine.url}/popsvc_test_nowhere`, system.engine.writer.password);
    expect(missing['clickhouse']!.found).to.include('has no database of ours');
  });

  it('tells the same of PostgreSQL, and then what this process knows of its own projections', async () => {
    const withRecords = async (change: (url: URL) => void) => {
      const url = new URL(system.databaseUrl);
      change(url);
      const postgres = openPostgres({ url: url.href, log, name: 'test' });
      const board = createStatusRegistry();
      const listed = { name: 'coffee', generation: 1, streams: [], isNeeded: true } as const;
      board.register(listed);
      board.setRunState(listed, { state: 'failing', error: 'PostgreSQL is away' });
      const found = await system.examined({ postgres, listRunningProjections: () => board.statuses });
      await postgres.end();
      return found;
    };
    const away = await withRecords((url) => (url.port = '1'));
    expect(away['postgresql']!.found).to.match(/^postgresql cannot be reached: .*ECONNREFUSED/);
    expect(away['migrations of postgresql']).to.include({ outcome: 'skipped' });
    expect(away['projection coffee']!.found).to.include('failing').and.to.include('PostgreSQL is away');

    const refused = await withRecords((url) => (url.password = 'a-wrong-password'));
    expect(refused['postgresql']!.found).to.match(/^postgresql answers and refuses our login/);
    expect(JSON.stringify(refused)).to.not.include('a-wrong-password');

    const missing = await withRecords((url) => (url.pathname = '/nowhere'));
    expect(missing['postgresql']!.found).to.include('has no database of ours');
  });

  it('tells what hangs, within its patience, and the rest beside it', async () => {
    const at = `127.0.0.1:${silent.port}`;
    const postgres = openPostgres({ url: `postgres://a:b@${at}/c`, log, name: 'test' });
    const store = openEventStore({ url: `esdb://${at}?tls=false` });
    const began = performance.now();
    const [found, ofClickHouse] = await Promise.all([
      system.examined({ postgres, store }),
      withClickHouse(`http://${at}/popsvc`, 'x'),
    ]);
    expect(performance.now() - began).to.be.below(9_500);
    for (const engine of ['postgresql', 'event store']) expect(found[engine], engine).to.include({ outcome: 'failed' });
    expect(found['clickhouse']).to.include({ outcome: 'ok' });
    expect(ofClickHouse['clickhouse']).to.include({ outcome: 'failed' });
    expect(ofClickHouse['postgresql']).to.include({ outcome: 'ok' });
    await Promise.allSettled([postgres.end(), store.close()]);
  });

  it('tells that the event store is down, and that it is back', async () => {
    await system.node.stop();
    const down = await system.examined();
    expect(down['event store']!.found).to.match(/^event store cannot be reached/);
    expect(down['event store']!.advice).to.include('EVENTSTORE_URL');
    expect(down['clocks']).to.include({ outcome: 'ok', found: 'agree within 2 s: postgresql, clickhouse' });
    await system.node.restart();
    expect((await system.examined())['event store']).to.include({ outcome: 'ok' });
  });
});
