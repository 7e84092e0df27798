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
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';

const older: Projection = allProjections.find(({ name }) => name === 'uptime')!;
const note = { type: 'String', about: 'What a newer build knows besides.' };

/** The next build: it makes other rows of the same events, and its table has a column more. */
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
        fold.apply({ ...event, ...(data.appCode && { data: { ...data, appCode: `${data.appCode} anew` } }) }, at);
      },
      get pending() {
        return fold.pending;
      },
      seal: (range) => fold.seal(range),
    };
  },
};

/** As processes are replaced one by one: for a while both builds run, and the newer one builds what it makes of the log. */
describe('two builds of the service at the same time', function () {
  this.timeout(60_000);
  let system: TestSystem;
  const asked: Record<string, string[]> = { older: [], newer: [] };
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

  /** A process of a build; `asked` is told whose leases it asks for. */
  const started = async (owner: 'older' | 'newer') => {
    const { parts, postgres, writer } = system;
    const [projections, board, end] = [
      [owner === 'older' ? older : newer],
      createStatusRegistry(),
      new AbortController(),
    ];
    await openGenerations({ postgres, writer, log: warning }, projections);
    const leases: typeof parts.leases = {
      ...parts.leases,
      acquire(key, by, ttlMs) {
        asked[owner]!.push(`${key.projection} ${key.generation}`);
        return parts.leases.acquire(key, by, ttlMs);
      },
    };
    const running = { ...parts, leases, log: warning, owner, board, projections, leaseMs: 1_500, keepMs: 3_600_000 };
    const loops = [superviseProjections(running, end.signal), superviseReplays(running, end.signal)];
    return {
      board,
      async stop() {
        end.abort();
        await Promise.all(loops);
      },
    };
  };

  let count = 0;
  const told = () =>
    system.interval({ startedAt: new Date(Date.parse('2026-08-20T14:00:00Z') + (count += 1) * 1_000).toISOString() });
  const apps = async (generation: number) =>
    (
      await system.writer.rows<{ app: string }>(`SELECT app FROM intervals_g${generation} FINAL ORDER BY started_at`)
    ).map(({ app }) => app);
  const hold = (generation: number, many: number) =>
    waitUntil(
      () => apps(generation).catch(() => []),
      (found) => found.length === many,
      20_000,
    );
  const repeated = (text: string, many: number) => Array.from({ length: many }, () => text);

  it('leave generations of the newer build to the newer build', async () => {
    const one = await started('older');
    await told();
    await hold(1, 1);
    const other = await started('newer');
    // A column more does not keep the older one from writing.
    await told();
    await hold(1, 2);
    const planned = await planReplay(system.postgres, {
      projection: newer.name,
      version: newer.version,
      verify: false,
    });
    expect(planned).to.include({ to: 2 });
    await hold(2, 2);
    await told();
    await waitUntil(
      () => system.writer.rows<{ generation: number }>(`SELECT generation FROM progress_live`),
      (rows) => rows[0]?.generation === 2,
      20_000,
    );
    await told();
    await Promise.all([hold(1, 4), hold(2, 4)]);
    expect(await apps(1)).to.deep.equal(repeated('player', 4));
    expect(await apps(2)).to.deep.equal(repeated('player anew', 4));

    // The newer one is gone for a while: what it built stands still, and what was kept waits for it.
    await other.stop();
    await told();
    await sleep(2_500);
    expect(await apps(1)).to.have.length(4);
    expect(one.board.statuses.map(({ generation, state }) => [generation, state])).to.deep.equal([[1, 'running']]);
    expect(await apps(2)).to.have.length(4);

    // A start of the older one leaves readers where they are.
    await one.stop();
    const again = await started('older');
    const seen = await system.writer.rows<{ app: string }>('SELECT DISTINCT app FROM intervals_live');
    expect(seen).to.deep.equal([{ app: 'player anew' }]);
    const back = await started('newer');
    await Promise.all([hold(1, 5), hold(2, 5)]);
    await Promise.all([again.stop(), back.stop()]);
    expect(await apps(2)).to.deep.equal(repeated('player anew', 5));

    expect(asked['older']).to.include('uptime 1').and.to.not.include('uptime 2');
    expect(asked['older']!.filter((key) => key !== 'uptime 1')).to.deep.equal([]);
    expect(warned.filter((text) => !text.includes('built by an older version'))).to.deep.equal([]);
  });
});
