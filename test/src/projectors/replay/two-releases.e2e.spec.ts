import { setTimeout as sleep } from 'node:timers/promises';
import { intervals } from '@popsvc/read-models/tables';
import { registerProjection, planReplay } from '@popsvc/platform/postgres';
import { createLog, type Log } from '@popsvc/platform/telemetry';
import { superviseReplays } from '@popsvc/projectors/engine/replay';
import { createStatusRegistry, superviseProjections, type Projection } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';

const older: Projection = allProjections.find(({ name }) => name === 'uptime')!;
const note = { type: 'String', about: 'A column that only the newer release has.' };

/** The next build derives other rows from the same events, and its table has one more column. */
const newer: Projection = {
  ...older,
  version: older.version + 1,
  tables: older.tables.map((table) =>
    table.name === intervals.name ? { ...table, fields: { ...table.fields, note } } : table,
  ),
  createFold() {
    const fold = older.createFold();
    return {
      restore: (event) => fold.restore(event),
      apply(event, at) {
        const data = event.data as { appCode?: string };
        fold.apply({ ...event, ...(data.appCode && { data: { ...data, appCode: `${data.appCode} v2` } }) }, at);
      },
      get pending() {
        return fold.pending;
      },
      seal: (range) => fold.seal(range),
    };
  },
};

/** Processes are replaced one by one: for a while both releases run, and the newer one builds its generation. */
describe('two builds of the service at the same time', function () {
  let system: TestSystem;
  const requestedLeases: Record<string, string[]> = { older: [], newer: [] };
  const warned: string[] = [];
  const warning: Log = Object.assign(Object.create(createLog('test', 'silent')) as Log, {
    warn: (_: unknown, text: string) => void warned.push(text),
  });

  before(async () => {
    system = await startTestSystem();
    await system.register(smallRegistry);
    await registerProjection(system.postgres, older.name, older.version);
  });
  after(() => system.close());

  /** Starts a process of a release; records the leases that it requests. */
  const startProcess = async (owner: 'older' | 'newer') => {
    const { parts, postgres, writer } = system;
    const [projections, statusRegistry, end] = [
      [owner === 'older' ? older : newer],
      createStatusRegistry(),
      new AbortController(),
    ];
    await openGenerations({ postgres, writer, log: warning }, projections);
    const leases: typeof parts.leases = {
      ...parts.leases,
      acquire(key, by, ttlMs) {
        requestedLeases[owner]!.push(`${key.projection} ${key.generation}`);
        return parts.leases.acquire(key, by, ttlMs);
      },
    };
    const running = {
      ...parts,
      leases,
      log: warning,
      owner,
      statusRegistry,
      projections,
      leaseMs: 1_500,
      keepMs: 3_600_000,
    };
    const loops = [superviseProjections(running, end.signal), superviseReplays(running, end.signal)];
    return {
      statusRegistry,
      async stop() {
        end.abort();
        await Promise.all(loops);
      },
    };
  };

  let count = 0;
  const appendInterval = () =>
    system.interval({ startedAt: new Date(Date.parse('2026-08-20T14:00:00Z') + (count += 1) * 1_000).toISOString() });
  const apps = async (generation: number) =>
    (
      await system.writer.rows<{ app: string }>(`SELECT app FROM intervals_g${generation} FINAL ORDER BY started_at`)
    ).map(({ app }) => app);
  const waitForRows = (generation: number, many: number) =>
    waitUntil(
      () => apps(generation).catch(() => []),
      (found) => found.length === many,
      20_000,
    );
  const repeated = (text: string, many: number) => Array.from({ length: many }, () => text);

  it('leave generations of the newer release to the newer release', async () => {
    const olderProcess = await startProcess('older');
    await appendInterval();
    await waitForRows(1, 1);
    const newerProcess = await startProcess('newer');
    // The older release can write a table with an additional column.
    await appendInterval();
    await waitForRows(1, 2);
    const planned = await planReplay(system.postgres, {
      projection: newer.name,
      version: newer.version,
      verify: false,
    });
    expect(planned).to.include({ to: 2 });
    await waitForRows(2, 2);
    await appendInterval();
    await waitUntil(
      () => system.writer.rows<{ generation: number }>(`SELECT generation FROM progress_live`),
      (rows) => rows[0]?.generation === 2,
      20_000,
    );
    await appendInterval();
    await Promise.all([waitForRows(1, 4), waitForRows(2, 4)]);
    expect(await apps(1)).to.deep.equal(repeated('player', 4));
    expect(await apps(2)).to.deep.equal(repeated('player v2', 4));

    // While the newer release does not run, its generation does not advance, and the kept one waits for it.
    await newerProcess.stop();
    await appendInterval();
    await sleep(2_500);
    expect(await apps(1)).to.have.length(4);
    expect(olderProcess.statusRegistry.statuses.map(({ generation, state }) => [generation, state])).to.deep.equal([
      [1, 'running'],
    ]);
    expect(await apps(2)).to.have.length(4);

    // A start of the older release does not change the generation of readers.
    await olderProcess.stop();
    const again = await startProcess('older');
    const seen = await system.writer.rows<{ app: string }>('SELECT DISTINCT app FROM intervals_live');
    expect(seen).to.deep.equal([{ app: 'player v2' }]);
    const back = await startProcess('newer');
    await Promise.all([waitForRows(1, 5), waitForRows(2, 5)]);
    await Promise.all([again.stop(), back.stop()]);
    expect(await apps(2)).to.deep.equal(repeated('player v2', 5));

    expect(requestedLeases['older']).to.include('uptime 1').and.to.not.include('uptime 2');
    expect(requestedLeases['older']!.filter((key) => key !== 'uptime 1')).to.deep.equal([]);
    expect(warned.filter((text) => !text.includes('built by an older version'))).to.deep.equal([]);
  });
});
