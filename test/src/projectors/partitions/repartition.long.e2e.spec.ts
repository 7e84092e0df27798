import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { findReplay, openPostgres, planReplay, type ReplaySource } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { createProjectors } from '@popsvc/projectors/service';
import { progressTable } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { chooseSeed } from '../../support/rounds.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';
import { createTraffic, splitNames } from './partitioned.fixture.ts';

const seed = chooseSeed(20_261_126);
/** Every partition has networks: the last digits of their ids are spread over the partitions. */
const networks = process.env['POPSVC_LONG'] === '1' ? 20 : 5;
const portions = 6;
/** Generation of the comparison, which no replay uses. */
const reference = 900;

describe(`a changed number of partitions (${networks} networks, seed ${seed})`, function () {
  this.timeout(400_000);
  let system: TestSystem;
  let traffic: ReturnType<typeof createTraffic>;
  let stop: () => Promise<void> = () => Promise.resolve();
  let portion = 0;
  before(async () => {
    system = await startTestSystem();
    traffic = createTraffic(system, networks, seed);
    await traffic.register();
  });
  after(async () => {
    await stop();
    await system.close();
  });

  const start = async (partitions: number, owner: string) => {
    const log = createLog('test', 'silent');
    const postgres = openPostgres({ url: system.env['DATABASE_URL']!, log, name: owner, connections: 12 });
    const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = system.env;
    const writer = openClickHouseWriter({
      url: CLICKHOUSE_URL!,
      username: CLICKHOUSE_USER!,
      password: CLICKHOUSE_PASSWORD!,
    });
    const close = () => Promise.all([writer.close(), postgres.end()]);
    const { store } = system;
    const running = createProjectors({
      store,
      writers: [writer],
      postgres,
      log,
      metrics: createMetrics('test'),
      owner,
      partitions,
    });
    try {
      const projectors = await running;
      return async () => {
        stop = () => Promise.resolve();
        await projectors.stop();
        await close();
      };
    } catch (error) {
      await close();
      throw error;
    }
  };
  const append = async () => {
    if (portion > 0) await traffic.change(portion);
    await traffic.append(portion, portions);
    portion += 1;
  };
  const positions = async () => {
    const { rows } = await system.postgres.query<{ projection: string; partitions: number; position: string }>(
      `SELECT projection, count(*)::int AS partitions, min(c.position) AS position
       FROM checkpoints c JOIN generations g USING (projection, generation) WHERE g.state = 'live' GROUP BY projection`,
    );
    return rows.filter(({ projection }) => splitNames.includes(projection));
  };
  const waitUntilCaughtUp = async (partitions: number) => {
    const at = await system.append(probeStream('test'), ProbeEmitted.type, {
      service: 'test',
      emittedAt: new Date().toISOString(),
    });
    await waitUntil(
      async () =>
        (await positions()).filter(({ partitions: count, position }) => count === partitions && BigInt(position) >= at)
          .length,
      (count) => count === splitNames.length,
      120_000,
    );
  };
  const readGeneration = async (name: string): Promise<number> =>
    (
      await system.postgres.query<{ live: number }>(
        'SELECT live_generation AS live FROM read_models WHERE projection = $1',
        [name],
      )
    ).rows[0]!.live;
  /** Compares the live tables with those of a rebuild. */
  const expectRowsOfLog = async (generation: number) => {
    for (const name of splitNames) {
      await rebuildGeneration(system, generation, { rows: 10_000, bytes: 1e9, ageMs: 1_000 }, name);
      const [live, whole] = [
        await readTables(system, await readGeneration(name), name),
        await readTables(system, generation, name),
      ];
      for (const [table, rows] of Object.entries(whole))
        if (!table.endsWith('_pending')) expect(live[table], table).to.deep.equal(rows);
    }
  };

  it('from 1 to 4 needs no replay and loses nothing', async () => {
    stop = await start(1, 'one');
    await append();
    await append();
    await waitUntilCaughtUp(1);
    await append();
    await stop();
    await append();
    stop = await start(4, 'four');
    await waitUntilCaughtUp(4);
    await expectRowsOfLog(reference);
  });

  it('is refused while another process is alive', async () => {
    const error: unknown = await start(2, 'other').catch((caught: unknown) => caught);
    expect(error).to.have.property('name', 'ConfigError');
    expect(String(error)).to.match(
      /PROJECTION_PARTITIONS is 2, .* split into 4 partitions, and these processes are running: four\. Stop all of them first, or start this process with PROJECTION_PARTITIONS=4\./,
    );
  });

  const replay = async (source: ReplaySource, name: string) => {
    const { version } = allProjections.find((each) => each.name === name)!;
    const planned = await planReplay(system.postgres, {
      projection: name,
      version,
      verify: true,
      from: { source, reason: 'the test chooses it' },
    });
    await waitUntil(
      async () => (await findReplay(system.postgres, planned!.id))!.endedAt !== null,
      (isEnded) => isEnded,
      360_000,
    );
    const ended = await findReplay(system.postgres, planned!.id);
    expect(ended).to.include({ state: 'done', verified: true, error: null });
    expect(ended!.differences).to.deep.equal([]);
  };

  it('of 4 is kept by a verified replay from the log', async () => {
    await Promise.all([replay('log', 'coffee'), append()]);
    await waitUntilCaughtUp(4);
    await expectRowsOfLog(reference + 1);
  });

  it('of 4 is kept by a verified replay from facts', async () => {
    await replay('facts', 'coffee');
  });

  it('from 4 to 2 begins at the lowest position, wherever the others are', async () => {
    await stop();
    await append();
    const generation = await readGeneration('coffee');
    const batches = await system.writer.rows<{ pos: string }>(
      `SELECT toString(pos) AS pos FROM ${progressTable('coffee')} AS p
       WHERE generation = ${generation} AND partitions = 4 AND partition = 1 ORDER BY p.pos`,
    );
    const behind = batches[Math.floor(batches.length / 2)]!.pos;
    await system.postgres.query(
      `UPDATE checkpoints SET position = $2 WHERE projection = 'coffee' AND generation = $1 AND partition = 1`,
      [generation, behind],
    );
    stop = await start(2, 'two');
    await waitUntilCaughtUp(2);
    await expectRowsOfLog(reference + 2);
  });
});
