import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from '@popsvc/embedded/postgres';
import type { Finding } from '@popsvc/contracts/diagnostics';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { createApiKey } from '@popsvc/http-kit/auth';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openEventStore } from '@popsvc/platform/event-store';
import { listApiKeys, migrate, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { secretSealer } from '../support/test-sealer.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { found, query, refusal, start, stopServers } from './postgres-servers.fixture.ts';

const log = createLog('test', 'silent');

/** Flips one bit of the first occurrence of a text in a file. */
const flipBit = (file: string, text: string): void => {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  expect(at, `${text} is in ${file}`).to.be.greaterThan(0);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
};

/** Runs the check of PostgreSQL's data, while the other stores do not answer. */
const diagnoseData = async (url: string): Promise<readonly Finding[]> => {
  const dead = { url: 'http://127.0.0.1:1/popsvc', username: 'none', password: 'none' };
  const [store, writer, reader] = [
    openEventStore({ url: 'esdb://127.0.0.1:1?tls=false' }),
    openClickHouseWriter(dead),
    openClickHouseReader(dead),
  ];
  const postgres = openPostgres({ url, log, name: 'test' });
  const findings = await runDiagnostics({
    store,
    shards: [{ writer, reader, declarations: [] }],
    postgres,
    secretSealer,
    listRunningProjections: () => [],
    requireSyncStandby: false,
    folders: [],
    services: [],
  });
  await Promise.allSettled([store.close(), writer.close(), reader.close(), postgres.end()]);
  return findings.filter(({ check }) => check === 'postgresql-data');
};

describe('a damaged file of the embedded PostgreSQL', () => {
  afterEach(stopServers);

  let whole: string;
  before(async () => {
    whole = await temporaryFolder('postgres');
    const server = await start(whole, found);
    await query(server.url, 'CREATE TABLE one AS SELECT 1 AS number');
    await query(server.url, 'CREATE TABLE two AS SELECT 2 AS number');
    await server.stop();
  });
  /** Returns a copy of a stopped cluster with two tables. */
  const copyCluster = async (): Promise<string> => {
    const dir = await temporaryFolder('postgres');
    execFileSync('cp', ['-a', `${whole}/.`, dir]);
    return dir;
  };
  const refusalAfter = async (damage: (cluster: string) => void): Promise<string> => {
    const dir = await copyCluster();
    damage(join(dir, 'cluster'));
    return refusal(start(dir, found));
  };
  const backup = 'popsvc restore';

  it('is named by a refused start, also if PostgreSQL names only a position of the WAL', async () => {
    let file = '';
    const message = await refusalAfter((cluster) => {
      [file = ''] = readdirSync(join(cluster, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
      truncateSync(join(cluster, 'pg_wal', file), 100);
    });
    expect(file).to.match(/^0000000100000000/);
    expect(message)
      .to.include('checkpoint record')
      .and.include(join('cluster', 'pg_wal', file))
      .and.include(backup);
  });

  it('is not replaced by an empty cluster if only the cluster is missing, as in the folder of a backup', async () => {
    const dir = await temporaryFolder('postgres');
    writeFileSync(join(dir, 'api_keys.copy'), '');
    expect(await refusal(start(dir, found)))
      .to.include('api_keys.copy')
      .and.include(backup);
    expect(existsSync(join(dir, 'cluster'))).to.equal(false);
    const stopped = await refusalAfter((cluster) => rmSync(cluster, { recursive: true }));
    expect(stopped).to.include('files-at-shutdown.json').and.include(backup);
  });

  it('is named by a refused start if it is the control file', async () => {
    const file = join('global', 'pg_control');
    const message = await refusalAfter((cluster) => writeFileSync(join(cluster, file), Buffer.alloc(8_192, 7)));
    expect(message).to.include(file).and.include(backup);
  });

  it('is named if the server starts and accepts no session', async () => {
    const startedAt = Date.now();
    const message = await refusalAfter((cluster) => writeFileSync(join(cluster, 'pg_hba.conf'), '# empty\n'));
    expect(message).to.include('pg_hba.conf').and.include(backup);
    expect(Date.now() - startedAt, 'without waiting for a session').to.be.lessThan(30_000);
  });

  it('is named if it is the file with the version', async () => {
    const file = join('cluster', 'PG_VERSION');
    expect(await refusalAfter((cluster) => rmSync(join(cluster, 'PG_VERSION')))).to.include(`${file} is missing`);
    expect(await refusalAfter((cluster) => writeFileSync(join(cluster, 'PG_VERSION'), ''))).to.include(
      `${file} is damaged`,
    );
  });

  it('is named after an orderly stop, also if its checksums are right', async () => {
    const dir = await copyCluster();
    // The two newest files are those of the two tables.
    const files = readdirSync(join(dir, 'cluster', 'base'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\/\d+$/.test(name))
      .sort((a, b) => Number(a.split('/')[1]) - Number(b.split('/')[1]));
    const [one, two] = files.slice(-2).map((name) => join(dir, 'cluster', 'base', name)) as [string, string];
    const exchange = () => {
      const bytes = [readFileSync(one), readFileSync(two)] as const;
      writeFileSync(two, bytes[0]);
      writeFileSync(one, bytes[1]);
    };
    exchange();
    for (const attempt of ['first', 'second'])
      expect(await refusal(start(dir, found)), attempt)
        .to.include(`${one} has changed, ${two} has changed`)
        .and.include(backup);
    exchange();
    const again = await start(dir, found);
    await query(again.url, 'INSERT INTO one VALUES (3)');
    await again.stop();
    const { url } = await start(dir, found);
    expect(await query(url, 'SELECT sum(number)::int AS sum FROM one')).to.deep.equal([{ sum: 4 }]);
  });

  it('is reported by queries and by the doctor, with the table', async () => {
    const dir = await temporaryFolder('postgres');
    const first = await start(dir, found);
    const postgres = openPostgres({ url: first.url, log, name: 'test' });
    await migrate(postgres);
    await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
    const [row] = await query(first.url, "SELECT pg_relation_filepath('api_keys') AS path");
    await postgres.end();
    expect(await diagnoseData(first.url)).to.have.length(1);
    expect((await diagnoseData(first.url))[0]).to.include({ outcome: 'ok' });
    await first.stop();

    flipBit(join(dir, 'cluster', row!['path'] as string), 'acme');
    rmSync(join(dir, 'files-at-shutdown.json'));
    const { url } = await start(dir, found);
    const [finding] = await diagnoseData(url);
    expect(finding).to.include({ outcome: 'failed', problem: 'damaged', subject: 'api_keys' });
    expect(finding!.found).to.match(/invalid page in block 0 of relation/);
    const again = openPostgres({ url, log, name: 'test' });
    expect(await refusal(listApiKeys(again))).to.include('invalid page in block 0');
    await again.end();
  });
});

const withChecksumsProgram = found.filter(({ dir }) => existsSync(join(dir, 'pg_checksums')));

describeIfInstalled('pg_checksums', withChecksumsProgram.length > 0, 'an embedded cluster without checksums', () => {
  afterEach(stopServers);

  /** Turns the checksums of a stopped cluster off, as the user who owns it. */
  const disableChecksums = ({ dir }: PostgresBinaries, cluster: string): void => {
    const { uid, gid } = statSync(cluster);
    execFileSync(join(dir, 'pg_checksums'), ['--disable', '-D', cluster], { uid, gid, cwd: '/', stdio: 'ignore' });
  };

  it('has them after the next start, with all its rows', async () => {
    const dir = await temporaryFolder('postgres');
    const binaries = withChecksumsProgram.slice(0, 1);
    const first = await start(dir, binaries);
    await query(first.url, 'CREATE TABLE kept AS SELECT generate_series(1, 5000) AS number');
    await first.stop();
    disableChecksums(binaries[0]!, join(dir, 'cluster'));
    const { url } = await start(dir, binaries);
    expect(await query(url, 'SHOW data_checksums')).to.deep.equal([{ data_checksums: 'on' }]);
    expect(await query(url, 'SELECT sum(number)::int AS sum FROM kept')).to.deep.equal([{ sum: 12_502_500 }]);
  });
});
