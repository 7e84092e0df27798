import type { Finding } from '@popsvc/contracts/diagnostics';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { onlyShard } from '@popsvc/domain/partitioning';
import { registerStoreMetrics } from '@popsvc/projectors/metrics';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type PostgresPair, startPostgresPair } from '../postgres/postgres-pair.fixture.ts';
import { type DiagnosedSystem, startDiagnosedSystem } from './diagnostics.fixture.ts';

const log = createLog('test', 'silent');

describe('the diagnostics of the replication of PostgreSQL', function () {
  let system: DiagnosedSystem;
  let pair: PostgresPair;
  let postgres: Postgres;
  before(async () => {
    [system, pair] = await Promise.all([startDiagnosedSystem(), startPostgresPair()]);
    postgres = openPostgres({ url: pair.url, log, name: 'test' });
    await migrate(postgres);
    await pair.addStandby('standby');
  });
  after(() => Promise.allSettled([system.close(), postgres.end()]));

  const diagnose = async (requireSyncStandby: boolean): Promise<readonly Finding[]> =>
    (await runDiagnostics({ ...system, postgres, requireSyncStandby })).filter(
      ({ check }) => check === 'postgresql-replication',
    );
  /** The problems and their subjects. */
  const findProblems = async (requireSyncStandby = true) =>
    (await diagnose(requireSyncStandby)).map(({ problem, subject }) => [problem, subject]);

  /** The values of the metrics of the replication, by name and labels. */
  const readMetrics = async (): Promise<Readonly<Record<string, number>>> => {
    const metrics = createMetrics('test');
    registerStoreMetrics({
      ...system,
      readers: [{ shard: onlyShard, reader: system.reader }],
      writers: [system.writer],
      metrics,
      postgres,
      owner: 'test',
      requireSyncStandby: true,
    });
    const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('popsvc_postgresql_'));
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value] = /^popsvc_postgresql_(\S+) (\S+)$/.exec(line) ?? [];
        return [name.replace(/,?service="[^"]*"/, '').replace('{}', ''), Number(value)];
      }),
    );
  };

  it('report asynchronous replication only if a synchronous standby is required', async () => {
    const [ok] = await diagnose(false);
    expect(ok).to.include({ outcome: 'ok', found: 'not required: commits wait for no standby' });
    const [failed] = await diagnose(true);
    expect(failed).to.include({ outcome: 'failed', problem: 'asynchronous' });
    expect(failed!.found).to.include('synchronous_standby_names of the server');
    expect(await readMetrics()).to.deep.equal({ asynchronous: 1 });
  });

  it('report that the role may not see the standbys', async () => {
    await pair.configure('synchronous_standby_names', 'ANY 1 (standby)');
    const [finding] = await diagnose(true);
    expect(finding).to.include({ outcome: 'warning', problem: 'not-visible', subject: 'popsvc' });
    expect(finding!.advice).to.equal(
      'Grant the role that DATABASE_URL names the right to see standbys: GRANT pg_read_all_stats TO popsvc.',
    );
    await pair.administer('GRANT pg_read_all_stats TO popsvc');
  });

  it('name the standbys if all is well', async () => {
    const [finding] = await diagnose(true);
    expect(finding).to.include({ outcome: 'ok', found: 'commits wait for 1 of: standby (synchronous)' });
    const { 'standby_lag_bytes{standby="standby"}': lagBytes, ...others } = await readMetrics();
    expect(others).to.deep.equal({ asynchronous: 0, missing_standbys: 0 });
    expect(lagBytes).to.be.lessThan(1_048_576);
  });

  it('report a standby that does not replay', async () => {
    await pair.pauseReplay(true);
    // Each switch to the next WAL file of 16 MiB skips the rest of the current one.
    for (let file = 0; file < 6; file += 1)
      await pair.administer("SELECT pg_logical_emit_message(false, 'test', ''); SELECT pg_switch_wal()");
    expect(await findProblems()).to.deep.equal([['behind', 'standby']]);
    expect((await readMetrics())['standby_lag_bytes{standby="standby"}']).to.be.greaterThan(67_108_864);
    await pair.pauseReplay(false);
    await waitUntil(
      () => findProblems(),
      (problems) => problems.every(([problem]) => problem === null),
    );
  });

  it('report a named standby that is not connected while another one is', async () => {
    await pair.configure('synchronous_standby_names', 'ANY 1 (standby, other)');
    expect(await findProblems()).to.deep.equal([['not-connected', 'other']]);
    expect(await readMetrics()).to.include({ asynchronous: 0, missing_standbys: 0 });
  });

  it('report that commits wait, also if no standby is required', async () => {
    await pair.configure('synchronous_standby_names', '2 (standby, other)');
    for (const required of [true, false]) expect((await findProblems(required))[0]![0]).to.equal('no-standby');
    expect(await readMetrics()).to.include({ asynchronous: 0, missing_standbys: 1 });
    await pair.configure('synchronous_standby_names', 'standby');
    pair.replication.away();
    expect(await findProblems()).to.deep.equal([
      ['no-standby', null],
      ['not-connected', 'standby'],
    ]);
    expect(await readMetrics()).to.deep.equal({ asynchronous: 0, missing_standbys: 1 });
  });
});
