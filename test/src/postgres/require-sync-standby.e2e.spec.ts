import { fileURLToPath } from 'node:url';
import type { Finding } from '@popsvc/contracts/diagnostics';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { sharedClickHouse, sharedPostgres, startTestEventStore } from '../support/engines.ts';
import { operatorToken } from '../support/test-services.ts';
import { startPostgresPair } from './postgres-pair.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const programs = [
  'projectors/dist/main',
  'query-api/dist/main',
  'command-api/dist/main',
  'command-api/dist/worker-main',
];

const variablesOf = async (stores: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> => ({
  ...Object.fromEntries(['OPS', 'QUERY_API', 'COMMAND_API', 'WORKER'].map((name) => [`${name}_PORT`, '0'])),
  POSTGRES_REQUIRE_SYNC_STANDBY: 'true',
  EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  CLICKHOUSE_URL: 'http://127.0.0.1:1/popsvc',
  CLICKHOUSE_USER: 'popsvc',
  CLICKHOUSE_PASSWORD: 'none',
  QUERY_API_URL: 'http://127.0.0.1:1',
  POPSVC_OPERATOR_TOKEN: operatorToken,
  POPSVC_ENCRYPTION_KEY: encryptionKey,
  UPLOAD_SIGNING_KEY: 'a-key-of-at-least-thirty-two-characters',
  DATA_DIR: await temporaryFolder('data'),
  ...stores,
});

const startProgram = async (program: string, stores: Readonly<Record<string, string>>) =>
  startSupervisedProcess({
    name: program,
    run: { entry: fileURLToPath(new URL(`../../../${program}.js`, import.meta.url)) },
    env: await variablesOf(stores),
    ready: 'json-line',
    restart: false,
  });

/** The shared PostgreSQL server has no standby. Nothing answers at the other addresses. */
describe('a service with POSTGRES_REQUIRE_SYNC_STANDBY', function () {
  for (const program of programs)
    it(`does not start without a synchronous standby: ${program}`, async () => {
      const DATABASE_URL = await (await sharedPostgres()).freshDatabase();
      const started = startProgram(program, { DATABASE_URL });
      const failure = await started.then(
        async (service) => {
          await service.stop();
          return 'it started';
        },
        (error: unknown) => String(error),
      );
      expect(failure).to.include('POSTGRES_REQUIRE_SYNC_STANDBY is true').and.to.include('synchronous_standby_names');
    });
});

describe('a synchronous standby that goes away while the projectors run', function () {
  it('is reported by the doctor and by a metric, although commits wait', async () => {
    const [pair, node, clickHouse] = await Promise.all([
      startPostgresPair(),
      startTestEventStore(),
      sharedClickHouse(),
    ]);
    await pair.configure('synchronous_standby_names', 'standby');
    await pair.addStandby('standby');
    await pair.administer('GRANT pg_read_all_stats TO popsvc');
    const projectors = await startProgram('projectors/dist/main', {
      DATABASE_URL: pair.url,
      EVENTSTORE_URL: node.url,
      CLICKHOUSE_URL: `${clickHouse.url}/${await clickHouse.database()}`,
      CLICKHOUSE_USER: clickHouse.writer.username,
      CLICKHOUSE_PASSWORD: clickHouse.writer.password,
    });
    const read = async (path: string): Promise<string> => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      return (await fetch(`http://127.0.0.1:${String(projectors.readyLine()?.['port'])}${path}`, { headers })).text();
    };
    const readFindings = async () => {
      const { findings } = JSON.parse(await read('/ops/v1/doctor')) as { readonly findings: readonly Finding[] };
      return findings.filter(({ check }) => check === 'postgresql-replication').map(({ problem }) => problem);
    };
    expect(await readFindings()).to.deep.equal([null]);
    pair.replication.away();
    // Projections now wait for their commits, with all connections of their pool.
    await waitUntil(
      () => pair.administer("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"),
      ({ length }) => length >= 5,
    );
    expect(await readFindings()).to.deep.equal(['no-standby', 'not-connected']);
    expect(await read('/metrics')).to.match(/^popsvc_postgresql_missing_standbys(?:\{.*\})? 1$/m);
    pair.replication.heal();
    await pair.waitForStandby();
    expect(await readFindings()).to.deep.equal([null]);
    await projectors.stop();
    await node.stop();
  });
});
