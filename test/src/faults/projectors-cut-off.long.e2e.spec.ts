import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { waitUntil, createRandom } from '@popsvc/tools/rig';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.fixture.ts';
import {
  waitUntilCaughtUp,
  assertCheckpointsOnlyGrew,
  assertAllAcknowledgedStored,
  assertTablesMatchLog,
  assertNothingParked,
} from '@popsvc/tools/soak';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { type Traffic, createTraffic } from './traffic.fixture.ts';
import { flowRegistry } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(1, 20);
const seed = chooseSeed(20_261_126);
/** Inserts whose responses are lost: of facts, of progress, and of both. */
const inserts = [/token=coffee:1:[^&]*:plays/, /token=coffee:1:[^&]*:progress/, /token=status:1:/];

/** The defaults of the client are ten seconds each. */
const shortPings = '&keepAliveInterval=2000&keepAliveTimeout=1500';

/** Settings of a table with which the server refuses inserts as in these cases. */
const refusals = [
  { what: 'too many parts', setting: 'parts_to_throw_insert = 1, parts_to_delay_insert = 1', code: 252 },
  { what: 'a full disk', setting: 'min_free_disk_bytes_to_perform_insert = 1000000000000000', code: 243 },
] as const;

describe(`projectors with disturbed connections to their stores (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 7_200_000 : 300_000);
  const { fraction, pick } = createRandom(seed);
  let stage: Stage;
  let traffic: Traffic;
  let flowing: ReturnType<Traffic['run']>;
  let projectors: ProjectorsProcess;
  let log: FaultProxy;
  let tables: FaultProxy;
  let postgres: FaultProxy;
  before(async () => {
    stage = await openStage();
    await stage.register(flowRegistry);
    const { stores } = stage;
    [log, tables, postgres] = await Promise.all([
      startFaultProxy(stores.eventStore.url),
      startFaultProxy(stores.clickhouse.url),
      startFaultProxy(stores.postgres.url),
    ]);
    traffic = createTraffic(stage, seed);
    for (let step = 0; step < 20; step += 1) await traffic.step();
    projectors = await startProjectors(stage.stores, {
      EVENTSTORE_URL: `${log.url}${isLong ? '' : shortPings}`,
      CLICKHOUSE_URL: tables.url,
      DATABASE_URL: postgres.url,
    });
    await waitUntilCaughtUp(stage);
    flowing = traffic.run(isLong ? 60 : 1_000);
  });
  after(async () => {
    await projectors.kill9();
    await stage.close();
  });

  const measureCatchUp = async (timeoutMs: number): Promise<string> => {
    const tookMs = await waitUntilCaughtUp(stage, timeoutMs);
    expect(projectors.isOver(), projectors.lines.slice(-10).join('\n')).to.equal(false);
    return `${(tookMs / 1_000).toFixed(1)} s`;
  };

  it('repeat an insert whose response was lost', async () => {
    for (let round = 0; round < rounds; round += 1) for (const statement of inserts) await tables.cutAnswer(statement);
    process.stdout.write(`      no lag again after ${await measureCatchUp(60_000)}\n`);
  });

  it('continue when their sessions with PostgreSQL end, also within a transaction', async () => {
    const ended: number[] = [];
    for (let round = 0; round < rounds + 2; round += 1) {
      await sleep(fraction() * 300);
      const { rows } = await stage.postgres.query<{ count: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity WHERE application_name = 'popsvc projectors'`,
      );
      ended.push(rows[0]!.count);
    }
    expect(Math.max(...ended)).to.be.greaterThan(0);
    process.stdout.write(`      ${ended.join(' + ')} sessions; no lag again after ${await measureCatchUp(60_000)}\n`);
  });

  it('catch up over a network with 200 ms of latency that breaks sometimes', async () => {
    const all = [log, tables, postgres];
    for (const proxy of all) proxy.disturb({ there: { delayMs: 100 }, back: { delayMs: 100 } });
    for (let round = 0; round < rounds + 1; round += 1) {
      await sleep(500 + fraction() * 500);
      pick(all).cut();
    }
    for (const proxy of all) proxy.heal();
    process.stdout.write(`      no lag again after ${await measureCatchUp(90_000)}\n`);
  });

  for (const { what, setting, code } of refusals)
    it(`park nothing when ClickHouse refuses inserts: ${what}`, async () => {
      const table = 'ALTER TABLE plays_g1';
      const took: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const logged = projectors.lines.length;
        await stage.writer.run('SYSTEM STOP MERGES plays_g1');
        await stage.writer.run(`${table} MODIFY SETTING ${setting}`);
        const refused = () =>
          Promise.resolve(projectors.lines.slice(logged).filter((line) => line.includes(`"${code}"`)));
        await waitUntil(refused, (lines) => lines.length > 0);
        for (const [, name] of setting.matchAll(/(\w+) =/g)) await stage.writer.run(`${table} RESET SETTING ${name}`);
        await stage.writer.run('SYSTEM START MERGES plays_g1');
        // After each round, because pauses grow with consecutive failures.
        took.push(await measureCatchUp(60_000));
      }
      process.stdout.write(`      no lag again after ${took.join(', ')}\n`);
    });

  it('detect connections that died silently, and open others', async () => {
    for (let round = 0; round < Math.ceil(rounds / 5); round += 1) {
      const opened = [log.opened(), postgres.opened()] as const;
      for (const proxy of isLong ? [log, tables, postgres] : [log, postgres]) proxy.forget();
      // The log has keep-alive pings, the other stores have timeouts; a statement of ClickHouse may take a minute.
      const tookMs = await measureCatchUp(isLong ? 240_000 : 90_000);
      expect(log.opened()).to.be.greaterThan(opened[0]);
      process.stdout.write(
        `      no lag again after ${tookMs}; ${log.opened() - opened[0]} connections to the log, ${postgres.opened() - opened[1]} to PostgreSQL\n`,
      );
    }
  });

  it('lose and duplicate nothing, and leave the rows of the log', async () => {
    await flowing.stop();
    await waitUntilCaughtUp(stage);
    await projectors.stop();
    await assertNothingParked(stage);
    await assertCheckpointsOnlyGrew(stage);
    await assertAllAcknowledgedStored(stage, traffic.acknowledged);
    const rows = await assertTablesMatchLog(stage, { wholeRows: !isLong });
    process.stdout.write(`      ${traffic.acknowledged.appends} appends, ${rows} rows\n`);
  });
});
